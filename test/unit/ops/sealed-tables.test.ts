import { expect, test } from '@jest/globals';
import { sealAccount, sealClient, sealKey, toRecordRow } from '../../../src/auth/rows.ts';
import { nameBytes, sealId, sealIds, sealSides } from '../../../src/lanes/rows.ts';
import { sealWord } from '../../../src/lanes/enqueue/unmapped.ts';
import { sealClaim, sealFailure, sealMrn, sealUser as sealEnrolled } from '../../../src/enrol/rows.ts';
import { mrnIndexOf, sealLink, sealRestricted, sealUser as sealSourceUser } from '../../../src/identity/rows.ts';
import { bodyPlace, makeDeliveryKey, sealFindings, sealNote, sealUser } from '../../../src/inbox/rows.ts';
import { sealAsked, sealMember, sealNewKey } from '../../../src/export/rows.ts';
import { sealItems } from '../../../src/events/rows.ts';
import * as operators from '../../../src/operators/rows.ts';
import { sealFacts } from '../../../src/persons/rows.ts';
import { SEALED_TABLES } from '../../../src/ops/run-resealing.ts';
import { makeWriterMemory, userIndex } from '../../../src/store/index.ts';
import { sealNumbered, sealSettings } from '../../../src/subscriptions/rows.ts';
import type { Settings } from '../../../src/subscriptions/subscription.ts';
import { sealAnew } from '../../../src/store/reseal/sealed-table.ts';
import { sealAside } from '../../../src/store/sqlite/journal/put-aside.ts';
import { keyPlace } from '../../../src/store/user-key.ts';
import { makeVault } from '../../../src/store/vault.ts';

const [old, now, pseudonym] = [1, 2, 3].map((n) => new Uint8Array(32).fill(n)) as [Uint8Array, Uint8Array, Uint8Array];
const before = makeVault({ data: [old], pseudonym });
const writing = { vault: before, memory: makeWriterMemory(), engine: 'sqlite' } as const;
const both = makeVault({ data: [now, old], pseudonym });

const person = { client: 'client-1', user: 'user-1' };
const index = userIndex(before, person.client, person.user);
const patient = { mrnSystem: 'urn:x', mrn: 'M1' };
const name = 'ab'.repeat(32);
const chart = Buffer.alloc(16, 9);
const link = sealLink(before, { id: 'lnk_1', ...person, mrnSystem: 'urn:x', mrn: 'M1', evidence: 'seen' } as Parameters<
  typeof sealLink
>[1]);
const record = toRecordRow(before, {
  kind: 'AccessToken',
  id: 'token',
  payload: {},
  grantId: null,
  uid: null,
  expiresAt: new Date(0),
} as Parameters<typeof toRecordRow>[1]);
const [client, account] = [{ id: 'app_1' }, { id: 'acc_1' }] as unknown as [
  Parameters<typeof sealClient>[1],
  Parameters<typeof sealAccount>[1],
];
const sides = { ours: {}, theirs: {} } as unknown as Parameters<typeof sealSides>[1]['sides'];

const [operator, factor, session, apiKey] = ['opr_1', 'fac_1', 'ses_1', 'key_1'].map((id) => ({ id })) as unknown as [
  Parameters<typeof operators.sealAccount>[1],
  Parameters<typeof operators.sealFactor>[1],
  Parameters<typeof operators.sealSession>[1],
  Parameters<typeof operators.sealKey>[1],
];

/** A delivery of before deliveries had keys of their own. */
const keyless = { id: 'dlv_1', body_key_sealed: null, unclaimed_key_sealed: null };

/** Each value as its own module seals it, with what names its row. */
const VALUES: Readonly<Record<string, readonly [place: readonly unknown[], sealed: Uint8Array | null]>> = {
  'user_key.key_sealed': [[index], before.seal(Buffer.alloc(32), keyPlace(index))],
  'journal_aside.args_sealed': [[7], sealAside(before, { place: 7, args: { id: 'dlv_1' } })],
  'delivery.user_sealed': [['dlv_1'], sealUser(before, 'user-1', 'dlv_1')],
  'delivery.findings_sealed': [['dlv_1'], sealFindings(before, ['a.b'], 'dlv_1')],
  'delivery.body_key_sealed': [['dlv_1'], makeDeliveryKey(writing, 'dlv_1').sealed],
  'unclaimed_key.key_sealed': [['dlv_1'], makeDeliveryKey(writing, 'dlv_1').sealed],
  'delivery_body.sealed': [['dlv_1'], before.seal(Buffer.from('{}'), bodyPlace('dlv_1'))],
  'delivery_note.text_sealed': [['dlv_1', 1], sealNote(before, keyless, 1, 'a note')],
  'link.user_sealed': [['lnk_1'], link.user],
  'link.mrn_sealed': [['lnk_1'], link.mrn],
  'link.evidence_sealed': [['lnk_1'], link.evidence],
  'restricted_patient.mrn_sealed': [[mrnIndexOf(before, patient)], sealRestricted(before, patient)],
  'source_user.user_sealed': [[index], sealSourceUser(before, person)],
  'written_document.ids_sealed': [[index, chart], sealIds(before, index, chart, { [name]: 'obs-1' })],
  'written_id.resource_id_sealed': [
    [nameBytes(name)],
    before.seal(Buffer.from('obs-1'), `written_resource.resource_id_sealed/${name}`),
  ],
  'foreign_change.resource_id_sealed': [[nameBytes(name)], sealId(before, { name, id: 'obs-1' })],
  'foreign_change.sides_sealed': [[nameBytes(name)], sealSides(before, { name, sides })],
  'unmapped.word_sealed': [[index], sealWord(before, index, { kind: 'code', what: 'a word' })],
  'enrolled_user.user_sealed': [[index], sealEnrolled(before, index, person)],
  'enrolled_patient.user_sealed': [[index], sealClaim(before, index, person)],
  'source_connection.failure_sealed': [
    [index, 'oura'],
    sealFailure(before, index, 'oura', { action: 'a', message: 'm' }),
  ],
  'source_request.mrn_sealed': [[index, 'req_1'], sealMrn(before, index, 'req_1', 'M1')],
  'auth_record.payload_sealed': [['AccessToken', record.index], record.sealed],
  'auth_client.client_sealed': [['app_1'], sealClient(before, client)],
  'auth_account.account_sealed': [['acc_1'], sealAccount(before, account)],
  'auth_key.key_sealed': [['signing/1'], sealKey(before, 'signing/1', 'value')],
  'operator_account.account_sealed': [['opr_1'], operators.sealAccount(before, operator)],
  'operator_factor.factor_sealed': [['fac_1'], operators.sealFactor(before, factor)],
  'operator_session.session_sealed': [['ses_1'], operators.sealSession(before, session)],
  'operator_key.key_sealed': [['key_1'], operators.sealKey(before, apiKey)],
  'operator_search.search_sealed': [['asr_1'], operators.sealSearch(before, { id: 'asr_1', name: 'n', search: {} })],
  'event.items_sealed': [
    [index, 1_000],
    sealItems(before, { tenant: 't', at: new Date(1_000), user: null, patient: index }, '[]'),
  ],
  'subscription.settings_sealed': [['sub-1'], sealSettings(before, 'sub-1', {} as Settings)],
  'subscription_event.items_sealed': [[7, 3], sealNumbered(before, 7, 3, [])],
  'export_job.asked_sealed': [['exp_1'], sealAsked(before, 'exp_1', {} as Parameters<typeof sealAsked>[2])],
  'export_job.key_sealed': [['exp_1'], sealNewKey(before, 'exp_1')],
  'patient_group_member.mrn_sealed': [[7, mrnIndexOf(before, patient)], sealMember(before, 7, patient)],
  'person.facts_sealed': [[index], sealFacts(before, index.toString('hex'), '[]')],
  'operator_moment.moment_sealed': [[index], operators.sealMoment(before, index, 'challenge')],
};

/** What is sealed by a key of its export is listed, and never sealed anew. */
const COLUMNS = SEALED_TABLES.filter(({ only }) => only !== '1 = 0').flatMap((of) =>
  of.columns.map((column, i) => [`${of.table}.${column}`, of, i] as const),
);

test('every column that is sealed anew has its example here', () => {
  expect(Object.keys(VALUES).sort()).toEqual(COLUMNS.map(([at]) => at).sort());
});

test.each(COLUMNS)('%s is found by its place, and opens there by the new key alone', (at, of, i) => {
  const [place, sealed] = VALUES[at] ?? [[], null];
  const row: Readonly<Record<string, unknown>> = Object.fromEntries<unknown>([
    ...place.map((part, n) => [`p${n}`, part]),
    ...of.key.map((_, n) => [`k${n}`, n]),
    [`v${i}`, sealed],
  ] as [string, unknown][]);
  const walk = { of, after: null, limit: 1, ids: [before.keyId] };
  const [anew, ...more] = sealAnew(walk, [row], both);
  expect(more).toEqual([]);
  if (anew === undefined || sealed === null) throw new Error('it was not found, or did not open');
  expect(anew.was).toBe(sealed);
  const alone = makeVault({ data: [now], pseudonym });
  expect(alone.open(anew.sealed, anew.place)).toEqual(before.open(sealed, anew.place));
});
