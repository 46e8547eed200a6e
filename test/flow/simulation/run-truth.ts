import { parsePayload } from '../../../src/payloads/index.ts';
import { DEMO_ADD_ONS } from '../../../sandbox/index.ts';
import type { ForeignEhr } from '../../support/foreign-ehr.ts';
import { demoCharts, foreignCharts } from './charts.ts';
import { differences, factsOfCharts, factsOfTruth } from './facts.ts';
import { CLIENT, DAY_MS, startSimulated, userOf } from './start-simulated.ts';

export interface TruthRun {
  /** Where it is written to; null is the demo EHR. */
  readonly ehr: ForeignEhr | null;
  readonly users: number;
  readonly days: number;
  readonly seed: number;
  /** The number of the first of the people; 0 unless said otherwise. */
  readonly firstPerson?: number;
  readonly from: number;
  readonly stepsEvents: 'on' | 'off';
  /** How many of them bring data from before their connection. */
  readonly withPast: number;
  /**
   * How many simulated days, or which part of one, go by before the gateway is waited for: what is overtaken by its
   * correction is never seen as a retraction.
   */
  readonly restEveryDays: number;
  readonly restMs: number;
  readonly onDay?: (day: number) => void;
}

export interface TruthFound {
  readonly seconds: number;
  readonly ledger: {
    readonly acknowledged: number;
    readonly byState: Readonly<Record<string, number>>;
    readonly addsUp: boolean;
  };
  /** Everything that was acknowledged by the gateway; must be the same number as its ledger's. */
  readonly sent: number;
  readonly documents: Readonly<Record<string, number>>;
  readonly facts: number;
  readonly withdrawn: number;
  readonly differences: readonly string[];
  /** Payloads that the gateway's schemas refuse, or wonder about. */
  readonly odd: readonly string[];
}

const counted = (words: readonly string[]): Record<string, number> => {
  const out: Record<string, number> = {};
  for (const word of words) out[word] = (out[word] ?? 0) + 1;
  return out;
};

/** People over days through gateway and EHR, and then what the charts say against what the sandbox says. */
export async function runTruth(run: TruthRun): Promise<TruthFound> {
  const began = performance.now();
  const addOns = { ...DEMO_ADD_ONS, steps_events_in_api: run.stepsEvents === 'on' };
  const charts = await (run.ehr === null ? demoCharts(run.users) : foreignCharts(run.ehr, run.users));
  const simulated = await startSimulated({ ...run, charts, addOns });
  const { service, simulation } = simulated;
  try {
    const patients = await simulated.link();
    for (let n = 0; n < run.users; n += 1) {
      service.putClient({ uuid: CLIENT, addOns: { ...addOns, pre_existing_data: n < run.withPast } });
      simulated.connect(n, undefined, (run.firstPerson ?? 0) + n);
    }
    const step = Math.min(1, run.restEveryDays);
    for (let day = step; day <= run.days; day += step) {
      await simulation.runUntil(run.from + day * DAY_MS);
      if (day % run.restEveryDays === 0) await simulated.rest(run.restMs);
      if (Number.isInteger(day)) run.onDay?.(day);
    }
    const { password } = service.putClient({ uuid: CLIENT });
    for (let n = 0; n < run.users; n += 1)
      await fetch(`${service.url}/api/v2/user_profile`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${CLIENT}:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ user_id: userOf(n) }),
      });
    await simulation.runUntil(service.clock.now().getTime());
    const ledger = await simulated.rest(run.restMs);

    const truth = simulation.truth(CLIENT);
    const said = factsOfTruth(truth, patients);
    const { facts, withdrawn } = factsOfCharts(await charts.observations(), charts.isWithdrawn);
    const options = { clientUuid: CLIENT, documentKey: 'bundle-id', labPath: null } as const;
    const odd = truth.flatMap(({ structure, name, payload }) => {
      const read = parsePayload(payload, options);
      if (!read.ok) return [`${structure} ${name}: ${read.fault.code} ${read.fault.at ?? ''}`];
      return read.value.findings.map(({ code, at }) => `${structure} ${name}: ${code} ${at}`);
    });
    return {
      seconds: Math.round((performance.now() - began) / 100) / 10,
      ledger,
      sent:
        service.sender.counts(CLIENT, 'data').acknowledged + service.sender.counts(CLIENT, 'notification').acknowledged,
      documents: counted(truth.map(({ structure }) => structure)),
      facts: said.size,
      withdrawn,
      differences: differences(said, facts),
      odd,
    };
  } finally {
    await simulated.stop();
    await charts.close();
  }
}
