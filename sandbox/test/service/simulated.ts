import { afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEMO_ADD_ONS,
  startService,
  startSimulation,
  traitsOfSource,
  type AddOnName,
  type DemoService,
  type Simulation,
} from '../../index.ts';
import { testClock } from '../../../test/support/clock.ts';
import { listenForHooks } from './support.ts';

export const SEED = 11;
export const CLIENT = 'client-1';
export const FROM = '2026-03-20T09:00:00.000Z';
export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export type Told = Readonly<Record<string, unknown>> & {
  readonly data_structure: string;
  readonly user_id: string;
  readonly document_version: number;
};

/**
 * A sandbox with simulated people and a client that hears everything, kept in a file, so that it can be started again.
 */
export function freshSimulation({ forgetsAfterDays }: { readonly forgetsAfterDays?: number } = {}) {
  let folder = '';
  let service: DemoService;
  let simulation: Simulation;
  let hooks: Awaited<ReturnType<typeof listenForHooks>>;
  let notes: Awaited<ReturnType<typeof listenForHooks>>;

  const fileOf = (): string => join(folder, 'service.ndjson');
  async function start(): Promise<void> {
    service = await startService({
      host: '127.0.0.1',
      port: 0,
      clock: testClock(FROM),
      file: fileOf(),
      retryWaitsMs: [10, 50, 250],
    });
    service.putClient({ uuid: CLIENT, dataWebhook: hooks.url, notificationWebhook: notes.url });
    simulation = startSimulation({
      service,
      seed: SEED,
      ...(forgetsAfterDays === undefined ? {} : { forgetsAfterDays }),
    });
  }
  async function stop(): Promise<void> {
    await simulation.stop();
    await service.stop();
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chartgate-simulation-'));
    hooks = await listenForHooks();
    notes = await listenForHooks();
    await start();
    service.putClient({ uuid: CLIENT, addOns: DEMO_ADD_ONS });
  });
  afterEach(async () => {
    await stop();
    await hooks.close();
    await notes.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const now = (): number => service.clock.now().getTime();
  return {
    service: () => service,
    simulation: () => simulation,
    now,
    restart: async (): Promise<void> => {
      await stop();
      await start();
    },
    /** What a `kill -9` leaves: the file up to a part of its bytes, in the middle of a line or not. */
    kill: async (part: number): Promise<void> => {
      const bytes = readFileSync(fileOf());
      await stop();
      writeFileSync(fileOf(), bytes.subarray(0, Math.floor(bytes.length * part)));
      await start();
    },
    fileBytes: (): number => readFileSync(fileOf()).length,
    switchAddOn: (name: AddOnName, isOn: boolean): void => {
      const client = service.state.clients.get(CLIENT);
      service.putClient({ uuid: CLIENT, addOns: { ...client?.addOns, [name]: isOn } });
    },
    connect: (
      user: string,
      dataSource: string,
      more: { readonly account?: string; readonly granted?: readonly string[] } = {},
    ): void => {
      const kind = traitsOfSource(dataSource)?.kind ?? 'api';
      const granted = more.granted ?? (kind === 'api' ? ['all'] : ['activity', 'heart', 'sleep', 'body']);
      const state = kind === 'mobile' && granted.length < 4 ? 'incomplete' : 'connected';
      service.connect({ client: CLIENT, user, dataSource, kind, state, account: more.account ?? 'person-0', granted });
    },
    /** Lets time go by, and waits until everything has come. */
    pass: async (days: number): Promise<void> => {
      await simulation.runUntil(now() + days * DAY_MS);
      await simulation.settled();
    },
    told: (structure?: string): Told[] =>
      (hooks.got as Told[]).filter((one) => structure === undefined || one.data_structure === structure),
    bodies: () => hooks.bodies,
    notes: () => notes.got,
    forget: (): void => {
      hooks.got.length = 0;
      hooks.bodies.length = 0;
      notes.got.length = 0;
    },
  };
}

interface Entry {
  readonly resource: Readonly<Record<string, unknown>>;
}

/** The Observations of a clinical_ready. */
export function observationsOf(told: Told): readonly Readonly<Record<string, unknown>>[] {
  const { clinical_ready_data: bundle } = told['clinical_ready'] as {
    clinical_ready_data: { entry: readonly Entry[] };
  };
  return bundle.entry.map(({ resource }) => resource).filter((one) => one['resourceType'] === 'Observation');
}

export const codesOf = (told: Told): string[] =>
  observationsOf(told).map((one) => (one['code'] as { coding: readonly { code: string }[] }).coding[0]?.code ?? '');

/** The local date that a clinical_ready is of. */
export const dateOf = (told: Told): string =>
  (observationsOf(told)[0]?.['effectivePeriod'] as { start: string } | undefined)?.start.slice(0, 10) ?? '';
