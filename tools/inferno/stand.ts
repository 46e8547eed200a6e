import type { Browser } from 'playwright-core';
import type { TestedGateway } from './gateway.ts';
import type { Inferno } from './inferno.ts';
import type { Patient } from './prepare-bundle.ts';

/** Everything that a suite is run with. */
export interface Stand {
  readonly inferno: Inferno;
  readonly gateway: TestedGateway;
  /** The base of the EHR behind it. */
  readonly ehr: string;
  readonly browser: Browser;
  /** At least one, linked; the last one is whom tokens for one patient are for. */
  readonly patients: readonly Patient[];
  /** Lets the gateway write something to the patient's chart; null where nobody gave its webhook secret. */
  readonly writeSomething: ((patient: Patient) => Promise<void>) | null;
}
