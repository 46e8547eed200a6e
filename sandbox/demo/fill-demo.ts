import { setTimeout as pause } from 'node:timers/promises';
import {
  DEMO_ADD_ONS,
  demoPatients,
  makeLabReport,
  makePerson,
  printPages,
  traitsOfSource,
  type DemoService,
  type Simulation,
} from '../index.ts';
import type { AdminApi, CallId, CallOf, ContractOf } from '../../src/embed.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 8;
const WAIT = { everyMs: 50, times: 2_400 } as const;
/** Most corrections and retractions come later than that, and so are seen as such. */
const STEP_MS = 2 * DAY_MS;
const UNSETTLED = ['received', 'queued', 'sending', 'unknown'] as const;
/** Laboratory reports are for the first few: reading them takes a second each. */
const REPORTS = 5;

export interface DemoTarget {
  readonly api: AdminApi;
  readonly service: DemoService;
  readonly simulation: Simulation;
  readonly seed: number;
  readonly clientUuid: string;
  readonly users: number;
  /** How many days before now the people were connected. */
  readonly days: number;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** `part` of the whole is done. */
  onProgress(part: number, words: string): void;
}

export const userOf = (n: number): string => `demo-user-${n + 1}`;

async function ask<Id extends CallId>(target: DemoTarget, id: Id, call?: CallOf<ContractOf<Id>>) {
  target.signal.throwIfAborted();
  const reply = await target.api.call(id, call);
  if (reply.kind === 'refused') throw new Error(`${id} was answered with ${reply.status}`);
  return reply.value;
}

/** As a patient does it in a browser. */
async function authorize(page: string, account: string): Promise<void> {
  const url = new URL(page);
  const form = new URLSearchParams({ state: url.searchParams.get('state') ?? '', account, decision: 'grant' });
  const answer = await fetch(`${url.origin}${url.pathname}`, { method: 'POST', redirect: 'manual', body: form });
  await answer.arrayBuffer();
  if (answer.status >= 400) throw new Error(`an authorization was answered with ${answer.status}`);
}

const isConnected = ({ service, clientUuid }: DemoTarget, n: number, dataSource: string): boolean =>
  service.state.connections.get(JSON.stringify([clientUuid, userOf(n), dataSource])) !== undefined;

/** Whoever has none of what they own: at another start there may be more people than before. */
const isMissing = (target: DemoTarget, n: number): boolean =>
  !makePerson(target.seed, n).dataSources.every((dataSource) => isConnected(target, n, dataSource));

/** Links the patient to a user and connects what the person owns: through the gateway, and on the phone. */
async function enrolOne(target: DemoTarget, n: number, mrn: string): Promise<void> {
  const { service, clientUuid: client, seed } = target;
  await ask(target, 'links.put', { params: { user_id: userOf(n) }, body: { mrn, evidence: 'demonstration' } });
  for (const dataSource of makePerson(seed, n).dataSources) {
    const account = `person-${n}`;
    if (isConnected(target, n, dataSource)) continue;
    if (traitsOfSource(dataSource)?.kind === 'mobile') {
      const granted = ['activity', 'heart', 'sleep', 'body'];
      service.connect({ client, user: userOf(n), dataSource, kind: 'mobile', state: 'connected', account, granted });
      continue;
    }
    const params = { mrn, data_source: dataSource };
    const { authorizationUrl } = await ask(target, 'patients.connect', { params });
    if (authorizationUrl === null) continue;
    await authorize(authorizationUrl, account);
    // The gateway hears of it by a notification too, which is of simulated time and so of last month.
    await ask(target, 'patients.connection', { params });
  }
}

async function enrolAll(target: DemoTarget): Promise<void> {
  const waiting = [...demoPatients(target.users).entries()].filter(([n]) => isMissing(target, n));
  const all = waiting.length;
  let done = 0;
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await enrolOne(target, next[0], next[1].mrn);
      done += 1;
      target.onProgress((done / all) * 0.1, `${done} of ${all} people connected`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/**
 * In shadow mode, and as long as what waits since then is held back, deliveries are not written however long one waits.
 */
async function isForwarding(target: DemoTarget): Promise<boolean> {
  const [ehr] = (await ask(target, 'targets.list')).targets;
  return ehr?.state !== 'shadow' && ehr?.state !== 'held';
}

/** Until the gateway has written what it has: what a correction overtakes is never seen in the chart. */
async function settle(target: DemoTarget): Promise<void> {
  await target.service.sender.below(1);
  const unsettled = (await isForwarding(target)) ? UNSETTLED : (['received'] as const);
  for (let i = 0; i < WAIT.times; i += 1) {
    const { byState } = await ask(target, 'flow.ledger');
    if (unsettled.every((state) => byState[state] === 0)) return;
    await pause(WAIT.everyMs, undefined, { signal: target.signal });
  }
}

async function uploadReport(target: DemoTarget, n: number, mrn: string, now: Date): Promise<void> {
  const { seed } = target;
  const collected = new Date(now.getTime() - (3 + n) * DAY_MS);
  const report = makeLabReport({ seed, n, collectedAt: `${collected.toISOString().slice(0, 10)}T08:15` });
  const bytes = await printPages(report.pages);
  await ask(target, 'patients.submitLab', {
    params: { mrn },
    query: { timezone: 'Z' },
    bytes: { type: 'application/pdf', content: new Uint8Array(bytes) },
  });
}

/**
 * A month of simulated life: people are linked and connected as of then, and their days go by until now. Everything
 * goes the way that everything goes, so what is in the charts afterwards is the gateway's own work.
 */
export async function fillDemo(target: DemoTarget): Promise<void> {
  const { service, simulation, clientUuid, now, days } = target;
  const nowMs = now.getTime();
  const isNew = simulation.workedUntil() === null;
  // Hourly steps and the time before the connections would be ten times as much, and are not what a month of charts
  // needs.
  const addOns = { ...DEMO_ADD_ONS, steps_events_in_api: false, pre_existing_data: !isNew };
  service.putClient({ uuid: clientUuid, addOns });
  if (isNew) service.clock.advance(nowMs - days * DAY_MS - service.clock.now().getTime());
  await enrolAll(target);
  // What another start left undone, too.
  const fromMs = service.clock.now().getTime();
  for (let at = fromMs + STEP_MS; at < nowMs + STEP_MS; at += STEP_MS) {
    target.signal.throwIfAborted();
    await simulation.runUntil(Math.min(at, nowMs));
    await settle(target);
    const day = Math.round((at - fromMs) / DAY_MS);
    target.onProgress(0.1 + 0.9 * Math.min(1, (at - fromMs) / (nowMs - fromMs)), `day ${day} of the people's life`);
  }
  // Also where the first start did not come so far.
  if (service.state.labDocuments.count() === 0)
    for (const [n, { mrn }] of demoPatients(Math.min(target.users, REPORTS)).entries())
      await uploadReport(target, n, mrn, now);
  service.putClient({ uuid: clientUuid, addOns: DEMO_ADD_ONS });
}
