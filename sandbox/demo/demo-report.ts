import { operatorLines, type DemoOperator } from './register-demo-operator.ts';
import { DEMO_PATIENTS, DEMO_TAG, demoPatients, type ClinicianApp } from '../index.ts';
import type { ForeignUse } from './foreign-ehr.ts';
import { DEMO_USERNAME } from './register-demo-app.ts';

/** What runs, and where. */
export interface Running {
  readonly base: string;
  /** Where it says how it is. */
  readonly watch: string;
  readonly ehr: string;
  readonly use: 'own' | Exclude<ForeignUse, 'stopped'>;
  readonly users: number;
  readonly app: ClinicianApp;
  readonly service: string;
  readonly data: string;
}

function ehrLines({ ehr, use, users }: Running): string {
  const [first, last] = [demoPatients(1)[0]?.mrn ?? '', demoPatients(users).at(-1)?.mrn ?? ''];
  switch (use) {
    case 'own':
      return `  demo EHR   ${ehr}/Patient       ${DEMO_PATIENTS.length} invented patients, MRN ${first} to ${DEMO_PATIENTS.at(-1)?.mrn ?? ''}, and one whom nobody linked
             ${ehr}/metadata      what it can do
`;
    case 'write':
      return `  EHR        ${ehr}       not ours; ${users} invented patients are there now, MRN ${first} to ${last}, and their data is written to it
             ${ehr}/Patient?_tag=${DEMO_TAG.system}%7C${DEMO_TAG.code}
`;
    case 'read':
      return `  EHR        ${ehr}       not ours; shadow mode: nothing is written to it
             chartgate shadow report      what would be
`;
    case 'none':
      return `  EHR        ${ehr}       not ours; nothing invented is written to it\n`;
  }
}

/** What somebody signs in with, of what a page asks for. Null: nobody can sign in there. */
export interface Entrances {
  readonly operator: DemoOperator | null;
  readonly clinicianPassword: string | null;
  readonly portal: { readonly name: string; readonly password: string };
}

/** First what a person opens, each with the password that it asks for; then what answers programs. */
export const report = (running: Running, { operator, clinicianPassword, portal }: Entrances): string => `Chartgate runs.

${operatorLines(running.base, operator)}  app        ${running.app.url}       charts for a clinician
${clinicianPassword === null ? '' : `             sign in as ${DEMO_USERNAME}, password ${clinicianPassword}\n`}  service    ${running.service}/       sandbox of the health data service: its people and what they connected
  portal     ${running.service}/portal       the sandbox, for the hospital as its client: webhooks, signing key
             sign in as ${portal.name}, password ${portal.password}

  gateway    ${running.base}/docs       what it offers
             ${running.watch}/readyz     is it ready
             ${running.watch}/metrics    figures
${ehrLines(running)}
Keys, secrets and databases are in ${running.data}/. Ctrl-C stops all of them.
`;
