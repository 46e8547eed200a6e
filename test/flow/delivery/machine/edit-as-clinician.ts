import { factOf, isWithdrawn } from '../../../support/check-delivery.ts';
import { partAt, type Json } from '../../../support/payloads/index.ts';
import type { Rig } from '../rig.ts';
import { comeToRest, type Done } from './come-to-rest.ts';
import { showsEveryEdit, type Act, type Character, type Metric } from './program.ts';

const PERSON = 'a-person';

/** What a person types in, which no document says. */
const typedIn = (metric: Metric, n: number): number =>
  ({ weight: 90, height: 150, bmi: 30, resting_heart_rate: 80 })[metric] + (n % 20) + 0.5;

/**
 * A clinician reads one of our Observations, changes it and saves it by the EHR's API. The faults that were laid are
 * not for them, and count anew.
 */
export async function editAsClinician(
  rig: Rig,
  done: Done,
  act: Extract<Act, { act: 'edit' }>,
  user: string,
  character: Character,
): Promise<void> {
  const isSafe = act.soon && showsEveryEdit(character);
  if (!isSafe && !(await comeToRest(rig, done))) return;
  const patient = done.links.findLast((one) => one.user === user)?.patient ?? '';
  const resource = rig
    .live()
    .find(
      (one) =>
        !isWithdrawn(one) &&
        factOf(one)?.about.startsWith(`${act.metric} `) === true &&
        partAt(one, 'subject.reference') === patient,
    );
  if (resource === undefined) return;
  const { board } = rig.ehr;
  const rules = board.rules();
  board.setRules(character.rules);
  const url = `${rig.ehr.url}/Observation/${String(resource['id'])}`;
  // Somebody else may save in between.
  for (let tries = 0; tries < 5; tries += 1) {
    const read = await fetch(url);
    const shown = (await read.json()) as Json;
    const etag = read.headers.get('etag');
    const mine =
      act.what === 'note'
        ? { note: [...((shown['note'] as object[] | undefined) ?? []), { text: `Seen by a clinician, ${done.edits}` }] }
        : { valueQuantity: { ...(shown['valueQuantity'] as object), value: typedIn(act.metric, done.edits) } };
    const saved = await fetch(url, {
      method: 'PUT',
      headers: {
        'content-type': 'application/fhir+json',
        'x-request-id': PERSON,
        ...(etag === null ? {} : { 'if-match': etag }),
      },
      body: JSON.stringify({ ...shown, ...mine }),
    });
    if (saved.status !== 200) continue;
    done.edits += 1;
    break;
  }
  board.setRules(rules);
}
