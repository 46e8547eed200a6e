// What needs a real EHR: `npm run test:real-ehr` names it. Not part of `npm test`.
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './tools/strip-types.js' },
  testMatch: ['<rootDir>/test/real-ehr/*.test.ts', '<rootDir>/test/contract/any-ehr.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sandbox/dist/', '<rootDir>/data/'],
  testTimeout: 180_000,
  maxWorkers: 1,
};
