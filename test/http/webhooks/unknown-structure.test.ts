import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aClinicalReady, aStepsEvent } from '../../support/payloads/index.ts';
import { startHookGateway, type HookGateway } from './hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => {
  hooks = await startHookGateway();
});
afterAll(() => hooks.stop());

/** Whoever names a structure may write a person into the name. */
const NAME = 'Ada_Lovelace_1815';

test.each<[string, object]>([
  ['that is sound', { ...aStepsEvent({ userId: 'u-1' }), data_structure: NAME }],
  ['that is quarantined', { ...aStepsEvent({ userId: 'u-2' }), client_uuid: 'another-client', data_structure: NAME }],
  ['whose name has a sign that none has', { ...aStepsEvent({ userId: 'u-3' }), data_structure: `${NAME}\u0000` }],
])('the name of an unknown structure %s is not stored in clear', async (_, payload) => {
  const { id } = await hooks.deliver(payload);
  expect((await hooks.read(id)).dataStructure).toBe('unknown');
  expect(hooks.atRest().includes(NAME)).toBe(false);
  expect(hooks.log.lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(hooks.log.lines)).not.toContain(NAME);
});

test('the operator finds it among the unmapped words, and the deliveries under `unknown`', async () => {
  const { id } = await hooks.deliver({ ...aStepsEvent({ userId: 'u-4' }), data_structure: NAME });
  const { unmapped } = (await hooks.admin('get', 'unmapped')).body as { unmapped: { kind: string; what: string }[] };
  expect(unmapped).toContainEqual(expect.objectContaining({ kind: 'structure', what: NAME, dataStructure: 'unknown' }));
  const listed = (await hooks.admin('get', 'deliveries?data_structure=unknown')).body as {
    deliveries: { id: string }[];
  };
  expect(listed.deliveries.map((one) => one.id)).toContain(id);
});

test('a name that we know is kept, and the files are looked at rightly', async () => {
  const { id } = await hooks.deliver(aClinicalReady());
  expect((await hooks.read(id)).dataStructure).toBe('clinical_ready');
  expect(hooks.atRest().includes('clinical_ready')).toBe(true);
});
