import type { Write } from '../../../../sandbox/index.ts';
import type { History, SaidVersion, Standing } from './history.ts';
import { cannotTell, METRICS, type Content, type Metric } from './program.ts';
import { guardedOf, holds, isLive, trailsOf, valueNow, type Guarded, type Trail } from './trails.ts';

/**
 * `lost`, `stale`, `leftover`: the chart does not hold what the newest version says. `doubled`: a measurement stands
 * twice, or two resources carry one name. `wrong-chart`: it stands where its user no longer belongs.
 * `overwrote-person`: a person's change is gone that nobody gave up; `overwrote-returned`: the same, after it was taken
 * out of that chart and the user came back to it. `silent`: a document contradicts a person, and nobody is told.
 * `unlisted`: what is in conflict is not shown. `false-conflict`, `false-park`: a person is bothered without a cause.
 * `refused`: a person is asked, and the answer is not taken.
 */
export type ViolationKind =
  | 'unsettled'
  | 'lost'
  | 'stale'
  | 'leftover'
  | 'doubled'
  | 'wrong-chart'
  | 'overwrote-person'
  | 'overwrote-returned'
  | 'silent'
  | 'unlisted'
  | 'false-conflict'
  | 'false-park'
  | 'refused'
  | 'ledger';

export interface Violation {
  readonly kind: ViolationKind;
  readonly about: string;
}

export interface Evidence {
  readonly history: History;
  readonly standing: ReadonlyMap<string, Standing>;
  /** Everything that the EHR carried out, in its order. */
  readonly writes: readonly Write[];
  readonly addsUp: boolean;
}

const RESTING = new Set(['delivered', 'superseded', 'duplicate', 'parked', 'quarantined', 'discarded']);

/** Both are about users one at a time; nobody shares a chart here. */
interface UserCase {
  readonly user: string;
  /** Where the user belongs now. */
  readonly patient: string;
  readonly said: readonly SaidVersion[];
  readonly newest: Content;
  /** How the deliveries of the newest version stand. */
  readonly stand: readonly Standing[];
  /** Of all charts that were ever the user's. */
  readonly trails: readonly Trail[];
  readonly guarded: readonly Guarded[];
}

function casesOf({ history, standing, writes }: Evidence): UserCase[] {
  const all = trailsOf(writes);
  return [...Map.groupBy(history.said, ({ user }) => user)].map(([user, said]): UserCase => {
    const links = history.links.filter((link) => link.user === user).map(({ patient }) => patient);
    const top = Math.max(...said.map(({ version }) => version));
    const ofTop = said.filter(({ version }) => version === top);
    const ids = ofTop.map(({ deliveryId }) => deliveryId);
    const trails = all.filter(({ patient }) => links.includes(patient));
    return {
      user,
      patient: links.at(-1) ?? '',
      said,
      newest: ofTop[0]?.content ?? {},
      stand: ofTop.flatMap(({ deliveryId }) => standing.get(deliveryId) ?? []),
      trails,
      guarded: trails.flatMap((trail) => guardedOf(trail, history.decided, ids) ?? []),
    };
  });
}

function checkStates({ history, standing }: Evidence): Violation[] {
  return history.said.flatMap(({ deliveryId, version }): Violation[] => {
    const state = standing.get(deliveryId)?.state ?? 'unknown to the gateway';
    return RESTING.has(state) ? [] : [{ kind: 'unsettled', about: `version ${version}: ${state}` }];
  });
}

/** One resource for a name, and one live for a measurement of a chart. */
function checkDoubled(trails: readonly Trail[]): Violation[] {
  const twice = (groups: Map<string, Trail[]>): Violation[] =>
    [...groups].flatMap(([key, of]): Violation[] =>
      of.length < 2 ? [] : [{ kind: 'doubled', about: `${key}: ${of.map(({ address }) => address).join(', ')}` }],
    );
  return [
    ...twice(Map.groupBy(trails, ({ name, metric }) => `${metric} named ${name}`)),
    ...twice(Map.groupBy(trails.filter(isLive), ({ patient, metric }) => `live ${metric} of ${patient}`)),
  ];
}

/** Of a write that could not be told from none, nobody can say which chart it stands in; a person has been told. */
function isExcused({ said }: UserCase, { history: { character }, standing }: Evidence): boolean {
  const isAmbiguous = ({ deliveryId }: SaidVersion): boolean => {
    const { state, reason } = standing.get(deliveryId) ?? {};
    return state === 'parked' && reason === 'ambiguous';
  };
  return cannotTell(character) && said.some(isAmbiguous);
}

function checkCharts(one: UserCase, evidence: Evidence): Violation[] {
  if (isExcused(one, evidence)) return [];
  return one.trails
    .filter((trail) => isLive(trail) && trail.patient !== one.patient)
    .map((trail) => ({ kind: 'wrong-chart', about: `${trail.metric} of ${one.user} stands at ${trail.patient}` }));
}

/** Every write of ours over a person's needs a decision; but out of a wrong chart it is taken whoever was at it. */
function checkOverwrites(one: UserCase, { links, decided }: History): Violation[] {
  return one.trails.flatMap((trail): Violation[] => {
    let edit: number | null = null;
    let isTakenOut = false;
    const out: Violation[] = [];
    for (const stand of trail.stands) {
      if (stand.isPerson) [edit, isTakenOut] = [stand.n, false];
      if (stand.isPerson || edit === null) continue;
      const after = edit;
      const isBetween = ({ n }: { readonly n: number }): boolean => n >= after && n < stand.n;
      const isAllowed = decided.some(
        (one) => one.decision === 'overwrite' && one.names.includes(trail.name) && isBetween(one),
      );
      const isMovedAway = links.some(
        (link) => link.user === one.user && link.patient !== trail.patient && isBetween(link),
      );
      const isTakingOut = stand.isWithdrawn && isMovedAway;
      if (!isAllowed && !isTakingOut)
        out.push({
          kind: isTakenOut ? 'overwrote-returned' : 'overwrote-person',
          about: `${trail.metric} of ${one.user}: write ${stand.n} over that of ${after}`,
        });
      isTakenOut ||= isTakingOut;
    }
    return out;
  });
}

/** Where no person was at it, the chart holds exactly what the newest version says. */
function checkMetric(one: UserCase, metric: Metric): Violation[] {
  const own = one.trails.filter((trail) => trail.metric === metric && trail.patient === one.patient);
  if (own.some((trail) => one.guarded.some((guarded) => guarded.trail === trail))) return [];
  const about = `${metric} of ${one.user} in ${one.patient}`;
  const live = own.filter(isLive);
  const wanted = one.newest[metric];
  if (wanted === undefined) return live.length === 0 ? [] : [{ kind: 'leftover', about }];
  if (live.length === 0) return [{ kind: 'lost', about: `${about} is not there, and should be ${wanted}` }];
  return live
    .filter((trail) => !holds(trail, one.newest))
    .map((trail) => ({ kind: 'stale', about: `${about} is ${String(valueNow(trail))}, and should be ${wanted}` }));
}

/** What waits for a person may lag behind, but says nothing that nobody ever said. */
function checkSaid(one: UserCase): Violation[] {
  return one.trails.filter(isLive).flatMap((trail): Violation[] => {
    const said = one.said.map(({ content }) => Number(content[trail.metric]));
    const theirs = trail.stands.filter(({ isPerson }) => isPerson).map(({ value }) => value);
    const now = valueNow(trail);
    return [...said, ...theirs].includes(now)
      ? []
      : [{ kind: 'stale', about: `${trail.metric} of ${one.user} is ${String(now)}, which nobody said` }];
  });
}

const inChart = (one: UserCase): readonly Guarded[] => one.guarded.filter(({ trail }) => trail.patient === one.patient);

function checkDelivered(one: UserCase): Violation[] {
  const silent = inChart(one)
    .filter(({ fit }) => fit(one.newest) === 'contradicts')
    .map(({ trail, isKept }): Violation => {
      const says = one.newest[trail.metric] ?? 'nothing';
      return {
        kind: 'silent',
        about: `${trail.metric} of ${one.user}: the document says ${says}, ${isKept ? 'a person kept theirs' : 'a person changed it'}, and it is delivered`,
      };
    });
  return [...METRICS.flatMap((metric) => checkMetric(one, metric)), ...silent];
}

function checkConflict(one: UserCase, { conflicts = [] }: Standing): Violation[] {
  const listed = new Set(conflicts.map(({ name }) => name));
  const contradicted = inChart(one).filter(({ fit }) => fit(one.newest) === 'contradicts');
  // What was changed in a chart of before may still be asked about.
  const causes = one.guarded.filter(({ fit }) => fit(one.newest) !== 'agrees');
  const names = new Set(causes.map(({ trail }) => trail.name));
  const metricOf = (name: string): string =>
    one.trails.find((trail) => trail.name === name)?.metric ?? name.slice(0, 12);
  const out: Violation[] = [];
  if (causes.length === 0) out.push({ kind: 'false-conflict', about: `${one.user}: nobody changed what it says` });
  for (const name of listed)
    if (causes.length > 0 && !names.has(name))
      out.push({ kind: 'false-conflict', about: `${metricOf(name)} of ${one.user} is listed, and nobody changed it` });
  for (const { trail } of contradicted)
    if (!listed.has(trail.name)) out.push({ kind: 'unlisted', about: `${trail.metric} of ${one.user} is in conflict` });
  // A person has decided before, and it is only that decision which no longer fits: the rest goes on.
  const isAgain =
    contradicted.length > 0 && causes.every(({ trail, isKept }) => isKept && trail.patient === one.patient);
  return [...out, ...(isAgain ? METRICS.flatMap((metric) => checkMetric(one, metric)) : checkSaid(one))];
}

/** Most of a day: more than half of what some earlier version, or all of them together, brought. */
function takesMost({ said, newest }: UserCase): boolean {
  const sets = said.map(({ content }) => Object.keys(content));
  const most = (set: readonly string[]): boolean =>
    set.filter((metric) => !Object.hasOwn(newest, metric)).length * 2 > set.length;
  return [...sets, [...new Set(sets.flat())]].some(most);
}

function checkParked(one: UserCase, stand: Standing, history: History): Violation[] {
  switch (stand.reason ?? 'no reason') {
    case 'conflict':
      return checkConflict(one, stand);
    case 'suspicious':
      return takesMost(one)
        ? checkSaid(one)
        : [{ kind: 'false-park', about: `${one.user}: suspicious, and most of the day is still said` }];
    case 'ambiguous':
      return cannotTell(history.character) && history.isLossy
        ? checkSaid(one)
        : [{ kind: 'false-park', about: `${one.user}: ambiguous, and the EHR can be asked` }];
    default:
      return [{ kind: 'false-park', about: `${one.user}: ${stand.reason ?? 'no reason'}` }];
  }
}

function checkNewest(one: UserCase, history: History): Violation[] {
  const parked = one.stand.find(({ state }) => state === 'parked');
  if (parked !== undefined) return checkParked(one, parked, history);
  return one.stand.some(({ state }) => state === 'delivered' || state === 'duplicate')
    ? checkDelivered(one)
    : [{ kind: 'lost', about: `${one.user}: the newest version is ${one.stand.map(({ state }) => state).join()}` }];
}

/** An older version that was parked stays so, but never without somebody else's change. */
function checkOlder(one: UserCase, standing: ReadonlyMap<string, Standing>): Violation[] {
  const isTouched = one.trails.some(({ stands }) => stands.some(({ isPerson }) => isPerson));
  return one.said.flatMap(({ deliveryId, version }): Violation[] => {
    const { state, reason } = standing.get(deliveryId) ?? {};
    return state === 'parked' && reason === 'conflict' && !isTouched
      ? [{ kind: 'false-conflict', about: `${one.user}: version ${version}, and nobody else was at its charts` }]
      : [];
  });
}

/** Everything that is wrong with a run that has come to rest. Pure, and nothing in it was taken from the gateway. */
export function judge(evidence: Evidence): Violation[] {
  const { history, standing } = evidence;
  const cases = casesOf(evidence);
  const all = [
    ...checkStates(evidence),
    ...checkDoubled(cases.flatMap(({ trails }) => trails)),
    ...cases.flatMap((one) => [
      ...checkCharts(one, evidence),
      ...checkOverwrites(one, history),
      ...checkNewest(one, history),
      ...checkOlder(one, standing),
    ]),
    ...history.refused.map((about): Violation => ({ kind: 'refused', about })),
    ...(evidence.addsUp ? [] : [{ kind: 'ledger', about: 'the ledger does not add up' } as const]),
  ];
  return [...new Map(all.map((one) => [`${one.kind} ${one.about}`, one])).values()];
}
