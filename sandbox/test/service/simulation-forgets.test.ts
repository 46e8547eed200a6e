import { expect, test } from '@jest/globals';
import { CLIENT, dateOf, freshSimulation, type Told } from './simulated.ts';

const { connect, fileBytes, pass, restart, service, simulation, told } = freshSimulation({ forgetsAfterDays: 60 });

const idOf = (one: Told): string =>
  (one['clinical_ready'] as { clinical_ready_data: { id: string } }).clinical_ready_data.id;

test('what a simulation remembers does not grow for ever, and no version is said twice, also when an old day comes again', async () => {
  service().putClient({
    uuid: CLIENT,
    addOns: { clinical_ready: true, health_monitoring: true, pre_existing_data: true },
  });
  connect('user-1', 'RingWearable', { account: 'person-1' });
  await pass(110);
  await restart();
  const [documents, bytes] = [simulation().truth(CLIENT).length, fileBytes()];
  // All that it has of 29 days before.
  connect('user-1', 'IosHealth', { account: 'person-1' });
  await pass(110);
  await restart();
  expect(simulation().truth(CLIENT).length).toBeLessThan(documents * 1.8);
  expect(fileBytes()).toBeLessThan(bytes * 2.5);
  const named = told('clinical_ready').map((one) => `${idOf(one)} ${one.document_version}`);
  expect(new Set(named).size).toBe(named.length);
  const dates = new Set(told('clinical_ready').map(dateOf));
  expect(dates.size).toBeGreaterThan(200);
}, 120_000);
