import { expect, test } from '@jest/globals';
import { makeDeliveryListRoutes } from '../../../src/admin/index.ts';
import { fault, fail, ok, type AdminCaller } from '../../../src/kernel/index.ts';

const ADA = 'opr_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const GONE = 'opr_01ARZ3NDEKTSV4RRFFQ69G5FAW';

/** The filter that the list is read by, for what a caller asks for. */
async function assignedFor(assignedTo: string, kind: AdminCaller['kind']): Promise<unknown> {
  let asked: unknown = null;
  const read = (name: string, args: { readonly assigned?: unknown; readonly name?: string }) => {
    if (name === 'operator.by-name') return Promise.resolve(ok(args.name === 'ada' ? { id: ADA } : null));
    asked = args.assigned;
    return Promise.resolve(ok({ deliveries: [], next: null }));
  };
  const store = { read } as never;
  const [route] = makeDeliveryListRoutes({
    tenant: 'default',
    clientUuid: null,
    mrnSystem: 'urn:mrn',
    inbox: store,
    identity: store,
    operators: store,
  });
  const caller = { kind, id: kind === 'person' ? ADA : 'key_1', permissions: new Set() };
  const context = { caller, record: () => Promise.resolve(ok(null)), withheld: () => Promise.resolve(ok([])) };
  const query = { assigned_to: assignedTo, limit: 50, with_total: false };
  const answer = await route?.handle({ query } as never, context as never);
  return answer?.ok === true ? asked : answer;
}

test.each([
  ['me', { kind: 'operator', id: ADA }],
  ['nobody', { kind: 'nobody' }],
  ['ada', { kind: 'operator', id: ADA }],
  [GONE, { kind: 'operator', id: GONE }],
])('a person who asks for the work of %s is shown it', async (assignedTo, expected) => {
  expect(await assignedFor(assignedTo, 'person')).toEqual(expected);
});

test.each([
  ['me', 'key'],
  ['bob', 'person'],
] as const)('%s of a %s is nobody', async (assignedTo, kind) => {
  expect(await assignedFor(assignedTo, kind)).toEqual(fail(fault('admin.parameter', { at: 'assigned_to' })));
});
