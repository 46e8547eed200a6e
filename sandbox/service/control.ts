import { isObject } from '../../src/kernel/index.ts';
import type { Sender } from '../delivery/index.ts';
import { ADD_ONS, ADD_ON_NAMES, isActive, isAddOn } from './add-ons.ts';
import { makeClient } from './clients.ts';
import type { FaultBoard } from './faults.ts';
import type { Kit } from './kit.ts';
import { readJson, readText } from './read-request.ts';
import { isReply, json, refuse, type Asked, type Reply } from './reply.ts';
import type { Row } from './route-table.ts';
import { SPEED_MAX } from './simulated-clock.ts';
import type { Client } from './state.ts';

const shown = (client: Client) => ({
  ...client,
  addOns: Object.fromEntries(ADD_ON_NAMES.map((name) => [name, isActive(client, name)])),
});

const PAYLOAD_BYTES_MAX = 5 * 1024 * 1024;

/**
 * What became of deliveries: counts, and those that were given up. Their bodies are health data and stay where they
 * are.
 */
const shownDeliveries = (kit: Kit, sender: Sender) => ({
  waiting: sender.waiting(),
  clients: Object.fromEntries(
    kit.state.clients
      .all()
      .map(([uuid]) => [
        uuid,
        { data: sender.counts(uuid, 'data'), notification: sender.counts(uuid, 'notification') },
      ]),
  ),
  givenUp: sender.givenUp().map(([id, { client, hook, tries, answered, at }]) => ({
    id,
    client,
    hook,
    tries,
    answered,
    at: new Date(at).toISOString(),
  })),
});

/** What is wrong with a switch of add-ons, or null. */
function wrongSwitch(addOns: unknown): { readonly status: number; readonly why: string } | null {
  if (!isObject(addOns)) return { status: 400, why: 'addOns must be an object' };
  for (const [name, value] of Object.entries(addOns)) {
    if (!isAddOn(name)) return { status: 400, why: 'unknown add-on' };
    if (typeof value !== 'boolean') return { status: 400, why: 'an add-on is true or false' };
    if (value && 'isOnHold' in ADD_ONS[name]) return { status: 409, why: 'the add-on is on hold' };
  }
  return null;
}

/**
 * `/_control`: the part of support (which activates add-ons, for which the service has no endpoint), of time, and of
 * bad luck. Not of the service; for development and tests.
 */
export function controlRows(kit: Kit, faults: FaultBoard, sender: Sender): Row[] {
  const clockNow = (): Reply => json(200, { now: kit.clock.now().toISOString(), speed: kit.clock.speed() });
  const withObject = async (asked: Asked, use: (value: Readonly<Record<string, unknown>>) => Reply): Promise<Reply> => {
    const parsed = await readJson(asked);
    if (isReply(parsed)) return parsed;
    return isObject(parsed.value) ? use(parsed.value) : refuse(asked, 400, 'an object is needed');
  };
  const row = (method: Row['method'], path: string, handle: Row['handle']): Row => ({ method, path, handle });
  return [
    row('GET', '/_control/clock', clockNow),
    row('PUT', '/_control/clock', (asked) =>
      withObject(asked, ({ speed }) => {
        if (typeof speed !== 'number' || !(speed > 0 && speed <= SPEED_MAX))
          return refuse(asked, 400, `speed is above 0 and at most ${SPEED_MAX}`);
        kit.clock.setSpeed(speed);
        return clockNow();
      }),
    ),
    row('POST', '/_control/clock/advance', (asked) =>
      withObject(asked, ({ seconds }) => {
        if (typeof seconds !== 'number' || !(seconds >= 0 && seconds < 1e9))
          return refuse(asked, 400, 'seconds is a number of 0 or more');
        kit.clock.advance(seconds * 1000);
        return clockNow();
      }),
    ),
    row('GET', '/_control/clients/{uuid}', (asked) => {
      const client = kit.state.clients.get(asked.params['uuid'] ?? '');
      return client === undefined ? refuse(asked, 404, 'no such client') : json(200, shown(client));
    }),
    row('PUT', '/_control/clients/{uuid}', (asked) =>
      withObject(asked, (value) => {
        const uuid = asked.params['uuid'] ?? '';
        const { addOns = {}, environment, name, sendsUnpublished, labFormat, ...others } = value;
        if (uuid === '' || Object.keys(others).length > 0) return refuse(asked, 400, 'unknown field');
        if (environment !== undefined && environment !== 'sandbox' && environment !== 'production')
          return refuse(asked, 400, 'environment is sandbox or production');
        if (name !== undefined && typeof name !== 'string') return refuse(asked, 400, 'name is a text');
        if (sendsUnpublished !== undefined && typeof sendsUnpublished !== 'boolean')
          return refuse(asked, 400, 'sendsUnpublished is true or false');
        if (labFormat !== undefined && labFormat !== 'fhir' && labFormat !== 'service')
          return refuse(asked, 400, 'labFormat is fhir or service');
        const wrong = wrongSwitch(addOns);
        if (wrong !== null) return refuse(asked, wrong.status, wrong.why);
        const before = kit.state.clients.get(uuid) ?? makeClient({ uuid });
        const client: Client = {
          ...before,
          ...(name === undefined ? {} : { name }),
          ...(environment === undefined ? {} : { environment }),
          ...(labFormat === undefined ? {} : { labFormat }),
          ...(sendsUnpublished === undefined ? {} : { sendsUnpublished }),
          addOns: { ...before.addOns, ...(addOns as Client['addOns']) },
        };
        kit.state.clients.put(uuid, client);
        return json(200, shown(client));
      }),
    ),
    row('POST', '/_control/clients/{uuid}/send', async (asked) => {
      const client = kit.state.clients.get(asked.params['uuid'] ?? '');
      if (client === undefined) return refuse(asked, 404, 'no such client');
      if (client.dataWebhook === null) return refuse(asked, 409, 'the client has no Data Webhook');
      const text = await readText(asked, PAYLOAD_BYTES_MAX);
      if (typeof text !== 'string') return text;
      sender.put({ client: client.uuid, hook: 'data', body: text });
      return json(202, { waiting: sender.waiting() });
    }),
    row('GET', '/_control/deliveries', () => json(200, shownDeliveries(kit, sender))),
    row('POST', '/_control/deliveries/again', () => json(200, { again: sender.sendAgain() })),
    row('GET', '/_control/faults', () => json(200, faults.rules())),
    row('PUT', '/_control/faults', async (asked) => {
      const parsed = await readJson(asked);
      if (isReply(parsed)) return parsed;
      return faults.set(parsed.value) ? json(200, faults.rules()) : refuse(asked, 400, 'a list of rules is needed');
    }),
  ];
}
