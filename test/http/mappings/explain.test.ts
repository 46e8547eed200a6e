import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Explanation } from '../../../src/forward/index.ts';
import { aClinicalReady, aLabResult, aNotification, aStepsEvent, rawNumber } from '../../support/payloads/index.ts';
import { startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => {
  hooks = await startHookGateway();
});
afterAll(() => hooks.stop());

const explained = async (id: string): Promise<Explanation> =>
  (await hooks.admin('get', `deliveries/${id}/explain`)).body as Explanation;

describe('a stored delivery', () => {
  test('is explained for nobody while its user has no link, and for the patient once it has', async () => {
    const { id } = await hooks.deliver(aClinicalReady({ userId: 'explained-1', bundleId: 'explained-1' }));
    const before = await explained(id);
    expect([before.link, before.trouble, before.resources.length]).toEqual([null, 'unlinked', 15]);
    await hooks.put('links/explained-1', { mrn: '0007' });
    const after = await explained(id);
    expect([after.link, after.trouble]).toEqual([{ mrnSystem: 'urn:example:mrn', mrn: '0007' }, null]);
    expect(after.resources.map(({ change }) => change)).toEqual(Array(15).fill('create'));
    expect(after.patient).toMatchObject({ identifier: [{ system: 'urn:example:mrn', value: '0007' }] });
    const names = (of: Explanation): string[] => of.resources.map(({ name }) => name);
    expect(names(after).some((name) => names(before).includes(name))).toBe(false);
  });

  test('names the row of the mapping data behind each decision, with its source and reviewer', async () => {
    const { id } = await hooks.deliver(aClinicalReady({ userId: 'explained-2', bundleId: 'explained-2' }));
    const { decisions } = await explained(id);
    expect(decisions.find(({ from }) => from.includes('|weight '))).toMatchObject({
      what: 'code',
      to: 'http://loinc.org|29463-7',
      row: 'conceptmap-metrics.json#weight/point',
      source: expect.stringMatching(/./),
      reviewer: expect.stringMatching(/./),
    });
  });

  test('keeps the digits of its values', async () => {
    const { id } = await hooks.deliver(
      aClinicalReady({ userId: 'explained-3', bundleId: 'explained-3', values: { weight: rawNumber('71.20') } }),
    );
    expect((await hooks.admin('get', `deliveries/${id}/explain`)).text).toContain('"value":71.20,');
  });

  test('is explained though nobody has mapped what it says', async () => {
    const { id, reason } = await hooks.deliver(
      aLabResult({ userId: 'explained-4', glucose: 92, documentId: 'explained-4' }),
    );
    expect(reason).toBe('unlinked');
    const unknown = await hooks.deliver({ ...aStepsEvent({ userId: 'explained-5' }), data_structure: 'dream_event' });
    const explanation = await explained(unknown.id);
    expect([explanation.trouble, explanation.resources]).toEqual(['unmapped', []]);
    expect((await explained(id)).resources.map(({ resourceType }) => resourceType)).toEqual([
      'Observation',
      'DiagnosticReport',
    ]);
  });
});

test.each([
  ['an id that nobody has', () => Promise.resolve({ id: 'dlv_nobody' }), 404],
  ['a notification', () => hooks.notify(aNotification()), 409],
  ['a payload that names two users', () => hooks.deliver({ ...aStepsEvent(), user_id: 'somebody-else' }), 422],
  ['what is no JSON', () => hooks.deliver('{'), 400],
])('%s has no explanation', async (_, make, status) => {
  const { id } = await make();
  expect((await hooks.admin('get', `deliveries/${id}/explain`)).status).toBe(status);
});
