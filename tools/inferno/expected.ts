/** A test that may fail, or be lost on the way through the gateway, and why that is no defect. */
export type Expected = {
  /** How the names of the runs begin. */
  readonly run: string;
  /** How the test's id ends. */
  readonly test: string;
  readonly reason: string;
  /** `data`: it fails at the EHR itself too, for what the patients lack. Such a test may never be lost. */
  readonly of: 'gateway' | 'data';
};

/** Everything else that fails or is lost ends the run with 1. `docs/conformance.md` tells of each entry. */
export const EXPECTED: readonly Expected[] = [
  {
    run: 'US Core',
    test: 'medication_request_patient_intent_encounter_search_test',
    reason: 'optional: no MedicationRequest of the reference patient 355 is what the test looks for',
    of: 'data',
  },
  {
    run: 'US Core',
    test: 'medication_request_patient_intent_authoredon_search_test',
    reason: 'optional: no MedicationRequest of the reference patient 355 is what the test looks for',
    of: 'data',
  },
  {
    run: 'US Core 8.0.0',
    test: 'interpreter_required_extension_test',
    reason: 'neither the reference patients nor their encounters have the extension',
    of: 'data',
  },
];
