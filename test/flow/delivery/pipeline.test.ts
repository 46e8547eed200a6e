import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startEhr } from '../../../sandbox/index.ts';
import { auditSet } from '../../../src/audit/index.ts';
import { openTarget, type Sent, type Target } from '../../../src/ehr/index.ts';
import { learnHabits } from '../../../src/forward/index.ts';
import { translationSettings } from '../../../src/gateway/translation-settings.ts';
import { identitySet } from '../../../src/identity/index.ts';
import { inboxSet } from '../../../src/inbox/index.ts';
import {
  makeFreshBodies,
  makePretranslations,
  makeTranslationContextHolder,
  type Judge,
} from '../../../src/judge/index.ts';
import { makeBudget, ok, systemClock, type Route } from '../../../src/kernel/index.ts';
import { deliverSet, laneSet, makeContentKey } from '../../../src/lanes/index.ts';
import { PARTS, PIPELINE, type StageName } from '../../../src/pipeline.ts';
import { collectLog } from '../../support/collect-log.ts';
import { eventually } from '../../support/eventually.ts';
import { appOf, configOf, newId } from '../../support/gateway.ts';
import { act, must, tenant } from '../../support/lane-tools.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { aClinicalReady, CLIENT, USER } from '../../support/payloads/index.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';
import { aPatient, MRN_SYSTEM } from './rig.ts';

const NAMES = PIPELINE.map(({ name }) => name);
const stageOf = (name: StageName) => PIPELINE.find((one) => one.name === name);

test('every stage is followed by a stage or rests, and from the first every other is reached', () => {
  expect(new Set(NAMES).size).toBe(NAMES.length);
  const reached = new Set<string>();
  const walk = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    const next: Readonly<Record<string, string>> = PIPELINE.find((one) => one.name === name)?.then ?? {};
    for (const to of Object.values(next)) walk(to);
  };
  walk('receive');
  expect(NAMES.filter((name) => !reached.has(name))).toEqual([]);
});

/** An answer that says that all was done, and not where: what stands there must be read back. */
function withoutPlaces(sent: Sent): Sent {
  if (sent.exchange?.kind !== 'answered' || sent.exchange.body.kind !== 'json') return sent;
  const bundle = sent.exchange.body.value as { entry?: readonly { response: { status: string } }[] };
  const entry = bundle.entry?.map(({ response: { status } }) => ({ response: { status } }));
  return { ...sent, exchange: { ...sent.exchange, body: { kind: 'json', value: { ...bundle, entry } } } };
}

test('a delivery passes every stage of the list, in its order, and each answer leads where the list says', async () => {
  const passed: { readonly name: StageName; output?: unknown }[] = [];
  const ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  stopAfterTest(ehr.stop);
  ehr.put(aPatient('pat-1', 'MRN-1'));
  const place = await sqlitePlace();
  stopAfterTest(place.remove);
  const store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  const config = configOf('sqlite:unused.db?filesystem=any', {
    CHARTGATE_EHR_URL: ehr.url,
    CHARTGATE_CLIENT_UUID: CLIENT,
  });
  const [clock, log] = [systemClock, collectLog()];

  /** Commands that are a stage, as they are done. */
  type Ask = (name: string, ...given: readonly unknown[]) => Promise<unknown>;
  const watched = <Used extends object>(used: Used): Used => {
    const watch =
      (ask: Ask): Ask =>
      async (name, ...given) => {
        if (name === 'lane.ledger') passed.push({ name: 'plan' });
        const done = (await ask(name, ...given)) as { ok: boolean; value: unknown };
        const stage = PIPELINE.find(({ by }) => by === name);
        const isIdle = name === 'lane.claim' && (done.value as { claimed: readonly unknown[] }).claimed.length === 0;
        if (stage !== undefined && !isIdle)
          passed.push({ name: stage.name, output: { args: given[0], out: done.value } });
        return done;
      };
    const { write, writeBehind, read } = used as unknown as Record<'write' | 'writeBehind' | 'read', Ask>;
    return { ...used, write: watch(write), writeBehind: watch(writeBehind), read: watch(read) };
  };
  const inbox = watched(store.use(inboxSet));
  const deliver = watched(store.use(deliverSet));
  const lanes = watched(store.use(laneSet));
  const wanted = { id: 'lnk_1', client: CLIENT, user: USER, mrnSystem: MRN_SYSTEM, mrn: 'MRN-1', evidence: null };
  must(await deliver.write('deliver.link', { ...act, wanted: { ...wanted, status: 'confirmed' }, limit: 100 }));

  const budget = makeBudget(64 * 1024 * 1024);
  const holder = makeTranslationContextHolder(translationSettings(config));
  const translationContext = () => holder.current().translationContext;
  const target = openTarget({
    ehr: config.ehr,
    mode: 'live',
    patientMode: 'lookup',
    dialect: () => translationContext().setting.dialect,
    onSelfDescription: (told) => void holder.recognise(told),
    clock,
    log,
    chance: randomBytes,
    newId,
    onLookUp: () => undefined,
    onProbed: () => undefined,
  });
  stopAfterTest(target.stop);
  target.start();
  await target.probed();
  function sending(): Target | null {
    const current = target.current();
    if (current === null) return null;
    let isWritten = false;
    return {
      ...current,
      async send(request) {
        passed.push({ name: 'write' });
        isWritten = true;
        return withoutPlaces(await current.send(request));
      },
      ehr: {
        ...current.ehr,
        ask(request) {
          if (isWritten) passed.push({ name: 'read-back' });
          return current.ehr.ask(request);
        },
      },
    };
  }

  const pretranslated = makePretranslations(budget);
  const contentKey = makeContentKey(randomBytes(32));
  const made = PARTS.judge({
    current: holder.current,
    held: pretranslated,
    bodyBytesMax: 5 * 1024 * 1024,
    contentKey,
    threads: 0,
  });
  const sender = PARTS.send({
    tenant,
    owner: 'ins_1',
    lanes,
    translationContext,
    target: sending,
    guard: target.guard,
    pretranslated,
    pretranslate: made.pretranslate,
    budget,
    habits: learnHabits({ tenant, lanes, software: () => null, log }),
    contentKey,
    clock,
    log,
    newId,
    spread: () => 0,
    onFinished: () => undefined,
  });
  stopAfterTest(sender.stop);
  const judge: Judge = async (...given) => {
    const judgement = await made.judge(...given);
    passed.push({ name: 'judge', output: judgement });
    return judgement;
  };
  const processor = PARTS.settle({
    tenant,
    instance: 'ins_1',
    fresh: makeFreshBodies(makeBudget(64 * 1024 * 1024)),
    inbox,
    deliver,
    judge,
    budget,
    clock,
    log,
    isBusy: () => false,
    onSettled: () => sender.wake(),
    onFinding: () => undefined,
    follow: () => Promise.resolve(ok([])),
  });
  stopAfterTest(processor.stop);
  const ingest = PARTS.receive({
    tenant,
    instance: 'ins_1',
    inbox,
    data: [{ name: 'anybody', proves: 'secret', stage: 'head', check: () => true }],
    notifications: [],
    learn: null,
    bodyBytesMax: 1024 * 1024,
    budget: makeBudget(64 * 1024 * 1024),
    rejects: { record: () => undefined, flush: () => undefined },
    onRefused: () => undefined,
    newId,
    clock,
    onStored: processor.take,
  });
  const routes = ingest.routes.map(
    (route): Route =>
      ({
        ...route,
        async handle(ask: never) {
          const one: (typeof passed)[number] = { name: 'receive' };
          passed.push(one);
          const answer = await route.handle(ask);
          one.output = answer;
          return answer;
        },
      }) as Route,
  );
  const server = createServer(appOf(routes));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopAfterTest(() => new Promise((resolve) => server.close(resolve)));
  processor.start();
  await sender.start();

  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks/secret/data`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(aClinicalReady({ observations: 1 })),
  });
  const { id } = (await answer.json()) as { id: string };
  const stored = await eventually(
    async () => must(await store.use(inboxSet).read('inbox.get', { tenant, id })),
    (delivery) => delivery?.state === 'delivered' && passed.at(-1)?.name === 'finish',
  );

  const way = passed.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1]);
  expect(way).toEqual(NAMES);
  for (const [i, { name, output }] of passed.entries()) {
    const stage = stageOf(name);
    const next = passed[i + 1]?.name ?? stored?.state;
    const said = output === undefined ? undefined : stage?.then[stage.answer(output as never)];
    expect([name, said ?? next]).toEqual([name, next]);
    // What follows a read-back `write` decides, which shows in no request where that is the end.
    const follows = Object.values((name === 'read-back' ? stageOf('write') : stage)?.then ?? {});
    if (name !== next) expect(follows).toContain(next);
  }
});
