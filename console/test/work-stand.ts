import type { Rig } from '../../test/flow/delivery/rig.ts';
import { aPatient } from '../../test/flow/delivery/rig.ts';
import { aClinicalReady, aStepsEvent } from '../../test/support/payloads/index.ts';

/** What waits for a person, one of each kind that the work queue knows an act for. */
export interface Waiting {
  readonly unlinked: string;
  readonly conflict: string;
  readonly suspicious: string;
  readonly rejected: string;
  readonly unmapped: string;
  /** Another one, which waits for another word. */
  readonly alsoUnmapped: string;
}

export async function makeWork(rig: Rig): Promise<Waiting> {
  await Promise.all(['wrangled', 'withdrawn', 'rejected'].map((user) => rig.enrol(user)));
  rig.ehr.put(aPatient('pat-w', 'MRN-W', { name: [{ given: ['Wanda'], family: 'Waits' }], birthDate: '1961-03-04' }));

  await rig.deliver(aClinicalReady({ userId: 'wrangled', observations: 4 }));
  const weight = rig.chart('Patient/pat-mrn-wrangled').find((one) => JSON.stringify(one).includes('"29463-7"'));
  rig.ehr.put({ ...weight, note: [{ text: 'Weighed again at the ward' }] } as never);
  const values = { weight: 70, height: 179 };
  const conflict = await rig.deliver(
    aClinicalReady({ userId: 'wrangled', documentVersion: 2, observations: 4, values }),
  );

  await rig.deliver(aClinicalReady({ userId: 'withdrawn', observations: 6 }));
  const suspicious = await rig.deliver(aClinicalReady({ userId: 'withdrawn', documentVersion: 2, observations: 1 }));

  rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', exceptPath: '_search', status: 422 }]);
  const rejected = await rig.deliver(aClinicalReady({ userId: 'rejected', observations: 2 }));
  rig.ehr.board.setRules([]);

  const bundles = ['one', 'two', 'three'];
  const unlinked: string[] = [];
  for (const bundleId of bundles)
    unlinked.push((await rig.deliver(aClinicalReady({ userId: 'user-waits', observations: 2, bundleId }))).id);
  const unmapped = await rig.deliver({ ...aStepsEvent({ userId: 'rejected' }), data_structure: 'dream_event' });
  const alsoUnmapped = await rig.deliver({ ...aStepsEvent({ userId: 'withdrawn' }), data_structure: 'nap_event' });
  for (const day of ['2026-11-10', '2026-11-11'])
    await rig.deliver({ ...aClinicalReady({ userId: 'somebody', day, bundleId: day }), user_id: 'somebody-else' });

  return {
    unlinked: unlinked[0] ?? '',
    conflict: conflict.id,
    suspicious: suspicious.id,
    rejected: rejected.id,
    unmapped: unmapped.id,
    alsoUnmapped: alsoUnmapped.id,
  };
}
