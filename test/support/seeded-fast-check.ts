import fastCheck from '../../node_modules/fast-check/lib/fast-check.js';

/*
 * What `fast-check` is to every test (jest.config.js): all properties of a run draw from one seed, which the run prints
 * at its start and a failure repeats. TEST_SEED plays the same cases again.
 */
fastCheck.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1), verbose: fastCheck.VerbosityLevel.Verbose });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export { fastCheck as default };
