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
  // A worker with a heap of 300 MB takes 400 ms to free it on a busy machine, though nothing is left open; jest would
  // kill it after 500.
  workerGracefulExitTimeout: 20_000,
};
