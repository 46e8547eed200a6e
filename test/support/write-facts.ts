import type { TypePlan, Verdict, WritePlan } from '../../src/ehr/index.ts';
import { makeAddressGuard } from '../../src/ehr/guard-address.ts';
import type { Item } from '../../src/forward/build-items.ts';
import { makeContentReader } from '../../src/forward/content-reader.ts';
import { noHabits } from '../../src/forward/ehr-habits.ts';
import type { Looked } from '../../src/forward/look-up.ts';
import { beginWrite, nextWrite } from '../../src/forward/next-write.ts';
import type { Answer, Progress, WriteEvent, WriteFacts, WriteStep } from '../../src/forward/write-state.ts';
import type { AnyResource } from '../../src/payloads/index.ts';

export const GUARD = makeAddressGuard('http://ehr.test/fhir');
const PATIENT = { urn: 'urn:uuid:patient', reference: 'Patient/1' };
export const READER = makeContentReader({ guard: GUARD, key: 'a key', patient: PATIENT });

export const weight = (kg: number, more: object = {}): AnyResource => ({
  resourceType: 'Observation',
  status: 'final',
  subject: { reference: PATIENT.urn },
  valueQuantity: { value: kg, code: 'kg' },
  ...more,
});

/** An item that wants 71 kg in the chart. */
export const anItem = (name: string, more: Partial<Item> = {}): Item => {
  const { resourceType = 'Observation', statement = { resource: { ...weight(71), resourceType } } } = more;
  const reference = `urn:uuid:${name}`;
  return {
    name,
    reference,
    resourceType,
    statement,
    finished: null,
    digest: `digest of ${name}`,
    wanted: {
      name,
      shelf: '2026-11-16',
      reference,
      ...statement,
      group: 'body',
      chartDay: '2026-11-16',
      write: 'always',
    },
    ledgerDocument: null,
    at: null,
    knownFingerprint: null,
    isRetracted: false,
    mayBeForgotten: false,
    isDoubted: false,
    isKept: false,
    ...more,
  };
};

/** Written before as version 1, with 70 kg. */
export const standing = { at: { id: '5', versionId: '1' }, knownFingerprint: READER.fingerprintOf(weight(70)) };

const TYPE: TypePlan = { identity: 'conditional-update', change: 'update', ifMatch: 'supported', searchBy: 'post' };

export const aPlan = (more: Partial<WritePlan> = {}, type: Partial<TypePlan> = {}): WritePlan => ({
  bundle: 'transaction',
  references: 'in-bundle',
  entriesMax: 100,
  bytesMax: 1_000_000,
  searchSettleMs: 5_000,
  answer: 'minimal',
  update: 'direct',
  provenance: 'no',
  createPatient: 'no',
  patientCheck: 'in-transaction',
  types: { Observation: { ...TYPE, ...type }, DiagnosticReport: { ...TYPE, ...type } },
  dialect: 'default',
  reasons: [],
  ...more,
});

export const someFacts = (items: readonly Item[], more: Partial<WriteFacts> = {}): WriteFacts => ({
  items,
  provenance: null,
  plan: aPlan(),
  patient: { ...PATIENT, via: [] },
  saidAt: 1,
  known: new Map(),
  removed: [],
  isApproved: false,
  mode: 'write',
  doubtAt: null,
  intentsOf: () => [],
  reader: READER,
  // Searches were seen to find at once, so that nothing is to be learnt of them.
  habits: { ...noHabits('an EHR'), search: 3 },
  nowMs: 10_000,
  ...more,
});

/** The step that a document has come to after these events. */
export const stepAfter = (
  facts: WriteFacts,
  events: readonly WriteEvent[],
  patient: Progress['patient'] = 'known',
): WriteStep => events.reduce((step, event) => nextWrite(step.state, event, facts), beginWrite(facts, patient));

export const answer = (verdict: Verdict, more: Partial<Answer> = {}): Answer => ({
  verdict,
  located: null,
  etag: null,
  status: null,
  resource: null,
  ...more,
});

export const created = (id: string): Answer =>
  answer({ kind: 'ok' }, { status: 201, located: { type: 'Observation', id, versionId: '1' } });
export const updated = (version: string): Answer => answer({ kind: 'ok' }, { status: 200, etag: `W/"${version}"` });

export const answered = (...answers: readonly Answer[]): WriteEvent => ({
  kind: 'answered',
  httpStatus: 200,
  answers,
  isToBeSeen: false,
  patient: 'not-asked-for',
});

export const found = (resource: AnyResource, id = '5'): WriteEvent => ({
  kind: 'looked',
  looked: { kind: 'there', id, resource: { ...resource, id } },
});
export const looked = (one: Exclude<Looked, { kind: 'there' }>): WriteEvent => ({ kind: 'looked', looked: one });
