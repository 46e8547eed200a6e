export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './tools/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/sandbox/test/**/*.test.ts'],
  // These need a real EHR: npm run test:real-ehr.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/real-ehr/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/sandbox/dist/', '<rootDir>/data/'],
  globalSetup: './test/support/start-postgres.ts',
  globalTeardown: './test/support/stop-postgres.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
};
