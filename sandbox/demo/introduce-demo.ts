import { DEMO_CLINICIAN, demoPatients, type DemoService } from '../index.ts';
import type { Running } from './demo-report.ts';
import { userOf } from './fill-demo.ts';

/** Tells the sandbox's first page whose user is which patient, and what else runs. */
export function introduceDemo(service: Pick<DemoService, 'introduce'>, { base, app, ehr, use, users }: Running): void {
  const hasPatients = use === 'own' || use === 'write';
  const patients = new Map(demoPatients(users).map((patient, n) => [userOf(n), patient]));
  service.introduce({
    beside: [
      {
        words: 'Console of the gateway',
        url: `${base}/console`,
        about: 'See every delivery and steer everything, as operator.',
      },
      {
        words: 'Clinician\u2019s sample app',
        url: app.url,
        about: `The charts, as Dr ${DEMO_CLINICIAN.name} sees them.`,
      },
      { words: 'EHR', url: `${ehr}/metadata`, about: 'Where the gateway writes: what it can do.' },
    ],
    person: (user) => {
      const known = patients.get(user);
      if (known === undefined) return null;
      const links = hasPatients ? [{ words: 'Patient in the EHR', url: `${ehr}/Patient?identifier=${known.mrn}` }] : [];
      return { name: known.name, about: `MRN ${known.mrn}`, links };
    },
  });
}
