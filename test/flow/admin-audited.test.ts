import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { eventually } from '../support/eventually.ts';
import { sqlitePlace } from '../support/new-store.ts';
import { aClinicalReady } from '../support/payloads/index.ts';
import { startRig, type Rig } from './delivery/rig.ts';

const MRN = 'mrn-of-ann';
let rig: Rig;
let delivery: string;

beforeAll(async () => {
  rig = await startRig(sqlitePlace);
  await rig.enrol('ann', MRN, 'pat-ann');
  delivery = await rig.send(aClinicalReady({ userId: 'ann', observations: 1 }));
  await rig.resting(delivery);
});
afterAll(() => rig.stop());

interface Recorded {
  readonly why?: string;
  readonly count?: number;
  readonly deliveryId?: string;
}
const recorded = async (query: string): Promise<readonly Recorded[]> =>
  (await rig.admin('GET', `audit?type=admin&limit=500${query}`)).body['records'] as Recorded[];

/** What the operator can look at, the word by which it is recorded, and whether it shows something of a patient. */
const LOOKS: readonly (readonly [path: string, why: string, shows: 'patients' | 'deliveries' | 'counts'])[] = [
  ['ledger', 'ledger', 'counts'],
  ['webhooks/refused', 'webhooks.refused', 'counts'],
  ['targets', 'targets', 'counts'],
  ['shadow', 'shadow', 'counts'],
  ['shadow/deliveries', 'shadow deliveries', 'deliveries'],
  ['deliveries/groups', 'delivery groups', 'counts'],
  ['deliveries/groups/patients?state=parked&reason=unlinked', 'delivery group patients', 'deliveries'],
  ['deliveries/groups/words?state=parked&reason=unmapped', 'delivery group words', 'deliveries'],
  ['jobs', 'jobs', 'counts'],
  ['deliveries', 'deliveries', 'deliveries'],
  ['deliveries/ID', 'delivery', 'deliveries'],
  ['deliveries/ID/explain', 'explain', 'deliveries'],
  ['deliveries/ID/changes', 'changes', 'deliveries'],
  ['unmapped', 'unmapped', 'deliveries'],
  ['links', 'links', 'patients'],
  [`links?mrn=${MRN}`, 'links', 'patients'],
  ['links/ann', 'link', 'patients'],
  ['audit', 'audit.search', 'deliveries'],
  [`audit?patient=${MRN}`, 'audit.search', 'patients'],
  ['audit/key', 'audit.key', 'deliveries'],
  ['audit/counts?by=patient', 'audit.counts', 'deliveries'],
  ['audit/searches', 'audit.searches', 'deliveries'],
  ['audit/verify', 'audit.verify', 'deliveries'],
  ['audit/export?form=records', 'audit.export-records', 'deliveries'],
  ['clients', 'clients', 'deliveries'],
  ['accounts', 'accounts', 'deliveries'],
  ['grants?account_id=usr_x', 'grants', 'deliveries'],
  ['operators', 'operators', 'counts'],
  ['keys', 'api-keys', 'counts'],
  ['settings', 'settings', 'counts'],
  [`patients/${MRN}/connections`, 'connections', 'patients'],
  [`patients/${MRN}/labs`, 'labs', 'patients'],
  [`patients/${MRN}/profile`, 'profiles', 'patients'],
  ['overdue', 'overdue', 'deliveries'],
];
const isPutAside = (): boolean => {
  if (rig.place.database.engine !== 'sqlite') throw new Error('this is about SQLite');
  const db = new DatabaseSync(rig.place.database.file, { readOnly: true });
  const found = db.prepare("SELECT 1 FROM journal_aside WHERE name = 'audit.append'").get();
  db.close();
  return found !== undefined;
};
const ask = (path: string) =>
  fetch(rig.url(`/admin/api/${path.replace('ID', delivery)}`), {
    headers: { authorization: 'Bearer admin-token-0123456789abcdef0123456789' },
  });

test.each(LOOKS)('a look at %s is recorded as %s', async (path, why, shows) => {
  const about = shows === 'patients' ? `&patient=${MRN}` : '';
  const before = (await recorded(about)).filter((one) => one.why === why).length;
  const answer = await ask(path);
  await answer.arrayBuffer();
  expect([path, answer.status]).toEqual([path, 200]);
  const count = async (): Promise<number> => (await recorded(about)).filter((one) => one.why === why).length;
  // To ask for the records is itself one; and counts are recorded behind their answer.
  const least = before + (why === 'audit.search' ? 2 : 1);
  const after = shows === 'counts' ? await eventually(count, (found) => found >= least) : await count();
  expect(after).toBeGreaterThanOrEqual(least);
});

test('who asks as the operator and is not is recorded too', async () => {
  const answer = await fetch(rig.url('/admin/api/links'), { headers: { authorization: 'Bearer nobody' } });
  expect(answer.status).toBe(401);
  await answer.arrayBuffer();
  const refused = await eventually(
    () => recorded('&outcome=refused'),
    (list) => list.some(({ why }) => why === 'admin.unauthenticated'),
  );
  expect(refused.map(({ why }) => why)).toContain('admin.unauthenticated');
});

test('where nothing can be recorded nothing of a patient is shown, and the counts still are', async () => {
  await rig.place.tamper(
    "CREATE TRIGGER audit_is_broken BEFORE INSERT ON audit_record BEGIN SELECT RAISE(ABORT, 'no more records'); END",
  );
  // Whoever asks first is answered with the record in the journal. It is put aside, and from then on all of them wait for
  // the commit of theirs.
  const ledger = LOOKS.find(([, , shows]) => shows === 'counts')?.[0] ?? '';
  await eventually(
    async () => {
      await (await ask(ledger)).arrayBuffer();
      return isPutAside();
    },
    (isIt) => isIt,
  );
  for (const [path, , shows] of LOOKS) {
    const answer = await ask(path);
    const text = await answer.text();
    expect([path, answer.status >= 500]).toEqual([path, shows !== 'counts']);
    if (shows !== 'counts') expect([path, text.includes(MRN), text.includes('ann')]).toEqual([path, false, false]);
  }
  await rig.place.tamper('DROP TRIGGER IF EXISTS audit_is_broken');
});
