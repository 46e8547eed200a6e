// `npm run test:fast`: what is pure, without servers, processes and databases, and without the tests that draw
// thousands of cases.
import everything from './jest.config.js';

const { globalSetup: _start, globalTeardown: _stop, ...config } = everything;

export default {
  ...config,
  testMatch: [
    '<rootDir>/test/unit/**/*.test.ts',
    '<rootDir>/test/golden/*.test.ts',
    '<rootDir>/sandbox/test/unit/**/*.test.ts',
  ],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/unit/(?:cli|http|ops|tools|real-ehr)/',
    '/test/unit/audit/verify',
    '/test/unit/forward/run-lanes',
    '/test/unit/ehr/limit-simulated',
    '/test/unit/kernel/clean-environment',
    '/test/unit/payloads/any-input',
    '/test/unit/r4/(?:chunks|compiled|oracles|properties)',
    '/test/unit/smart/(?:isolation|fuzz-pages)',
    '/test/unit/templates/run-template',
    '/test/unit/translate/(?:alerts-model|properties)',
    '/sandbox/test/unit/(?:population|summaries|insights)',
  ],
};
