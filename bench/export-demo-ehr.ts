/** The demo EHR with many patients who have as many Observations each: `export-demo-ehr.ts PATIENTS OBSERVATIONS`. */
import { startEhr } from '../sandbox/ehr/index.ts';
import { systemClock } from '../src/kernel/index.ts';
import { observation, patient } from './export-ehr-records.ts';
import { patientName } from './export-world.ts';

const [patients = 1, observations = 1] = process.argv.slice(2).map(Number);
const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
for (let n = 1; n <= patients; n += 1) {
  ehr.put(patient(patientName(n)));
  for (let i = 0; i < observations; i += 1) ehr.put(observation(patientName(n), `${patientName(n)}-${i}`, i));
}
process.stdout.write(`${JSON.stringify({ port: ehr.port })}\n`);
