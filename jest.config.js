import { randomInt } from 'node:crypto';
import { LENGTH } from './test/support/how-much.ts';

// The threads of stores and the processes that tests start load hundreds of modules each: what was compiled once is
// kept. This halves what it costs to open a store.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/chartgate-compile`;
if (process.env.TEST_SEED === undefined) {
  process.env.TEST_SEED = String(randomInt(0x7fffffff));
  process.stderr.write(`tests: the ${LENGTH} form; properties draw from TEST_SEED=${process.env.TEST_SEED}\n`);
}

export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './tools/strip-types.js' },
  // Properties of all files draw from the seed of the run.
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/seeded-fast-check.ts' },
  testMatch: ['test', 'sandbox/test', 'console/test'].map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  // These need a real EHR: npm run test:real-ehr.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/real-ehr/'],
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/sandbox/dist/',
    '<rootDir>/console/dist/',
    '<rootDir>/data/',
  ],
  globalSetup: './test/support/start-postgres.ts',
  globalTeardown: './test/support/stop-postgres.ts',
  // Tells late from never, on a machine that others use too.
  testTimeout: LENGTH === 'long' ? 300_000 : 60_000,
  maxWorkers: 2,
  // What node keeps of the modules of earlier files adds up to gigabytes, and slows the collector down long before.
  workerIdleMemoryLimit: '900MB',
  // A worker with a heap of 300 MB takes 400 ms to free it on a busy machine, though nothing is left open; jest would
  // kill it after 500.
  workerGracefulExitTimeout: 20_000,
};
