import { setImmediate as turn } from 'node:timers/promises';
import type { ProfileState, StepsState } from '../insights/index.ts';
import { makeLabReader } from '../labs/index.ts';
import { isActive, keyOf, type DemoService, type Happening } from '../service/index.ts';
import { simulationRows } from './control-rows.ts';
import { openDocuments, type TrueDocument } from './documents.ts';
import { duesOf, dateOf, extractedDates, LATE_DAYS, nextDate, startOf, type Followed, type Span } from './follow.ts';
import { makeProfile } from './make-profile.ts';
import { monitorSamples, openMonitored } from './monitor.ts';
import { openPeople, type NewlyFollowed } from './people.ts';
import { pollSteps } from './poll-steps.ts';
import { readLabs } from './read-labs.ts';
import { makeSchedule, type Due } from './schedule.ts';
import { addDays, clockAheadDays } from '../population/index.ts';
import { scoreDay, workDay, type DayWork, type Whom } from './work-day.ts';

export interface Simulation {
  /** Works off everything until then as fast as it is taken, and puts the clock there. */
  runUntil(at: number, onStep?: (at: number) => void): Promise<void>;
  /** From now on by itself, as simulated time goes on. */
  goOn(): void;
  /** When all that was asked for is done: laboratory documents are read apart from time. */
  settled(): Promise<void>;
  /** Until when the time of all users is worked off; null before anything was connected. */
  workedUntil(): number | null;
  /** What every document says now. */
  truth(client: string, user?: string): readonly TrueDocument[];
  stop(): Promise<void>;
}

/** How many deliveries may wait before the simulation does. */
const WAITING_MAX = 400;
const STEPS_A_TURN = 50;
const TIMER_MAX_MS = 60_000;
/** Section 8: within 24 hours. */
const SCORE_AFTER_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Joins population, summaries, insights and laboratory to the service: what syncs there becomes what it sends. */
export function startSimulation(deps: {
  readonly service: DemoService;
  readonly seed: number;
  /**
   * What was said longer ago is not remembered, nor part of the truth. More than pre-existing data reaches back and a
   * revision is late.
   */
  readonly forgetsAfterDays?: number;
}): Simulation {
  const { service, seed, forgetsAfterDays = Infinity } = deps;
  const { kept, clock, sender } = service;
  const documents = openDocuments(kept, sender, clock);
  const people = openPeople(service, kept, seed);
  const monitored = openMonitored(kept, {
    ruleOf: (client, user) => (signal) => service.effectiveRule(client, user, signal),
    since: people.since,
  });
  const work: DayWork = { documents, monitored };
  const steps = kept.table<StepsState>('sim_steps');
  const profiles = kept.table<ProfileState>('sim_profile');
  const answered = kept.table<{ readonly kind: string }>('sim_profile_request');
  const labs = readLabs(service, kept, documents, makeLabReader());
  const schedule = makeSchedule();
  const nextDays = new Map<string, string>();
  let forgottenAt = -Infinity;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isGoing = false;
  let isEnding = false;

  /** What a source says of a day goes into the schedule, and the beginning of the next day with it. */
  function beginDay(user: string, whom: Whom, followed: Followed, date: string, after: number): void {
    for (const { at, kind } of duesOf(whom.world, followed, date, after))
      schedule.add({ at, user, what: { kind, date } });
  }
  /** Once for each source, also where it was disconnected and connected again meanwhile. */
  function addNextDay(user: string, { world }: Whom, { dataSource }: Followed, date: string): void {
    const key = `${user} ${dataSource}`;
    if (nextDays.get(key) === date) return;
    nextDays.set(key, date);
    const begins = addDays(date, -clockAheadDays(world.person.hazard));
    schedule.add({ at: startOf(world, begins), user, what: { kind: 'day-begins', dataSource, date } });
  }

  /** Up to today; the next day announces itself. */
  function follow(user: string, followed: Followed, firstDate: string, after: number): void {
    const whom = people.whom(user);
    if (whom === null) return;
    const today = addDays(dateOf(whom.world, after), clockAheadDays(whom.world.person.hazard));
    let date = firstDate;
    for (; date <= today; date = nextDate(date)) beginDay(user, whom, followed, date, after);
    addNextDay(user, whom, followed, date);
  }

  function addScores(user: string, followed: Followed, span: Span): void {
    const whom = people.whom(user);
    if (whom === null) return;
    for (const date of extractedDates(whom.world, followed, span))
      schedule.add({ at: span.from + SCORE_AFTER_MS, user, what: { kind: 'scored', date } });
  }

  function addConnected(user: string, { followed, span }: NewlyFollowed): void {
    follow(user, followed, span.firstDate, span.from - 1);
    addScores(user, followed, span);
  }

  /** What was under way when the process ended. */
  function takeUp(): void {
    for (const user of people.keys()) {
      const whom = people.whom(user);
      const until = people.workedUntil(user);
      if (whom === null) continue;
      for (const followed of whom.sources) {
        const [first] = followed.spans;
        if (first === undefined) continue;
        const earliest = addDays(dateOf(whom.world, until), -LATE_DAYS);
        // Of a connection that was kept and not yet worked off, all of the time before it.
        follow(user, followed, first.from > until || first.firstDate > earliest ? first.firstDate : earliest, until);
        if (first.from + SCORE_AFTER_MS > until) addScores(user, followed, first);
      }
    }
    for (const [, connection] of service.state.connections.all()) {
      if (connection.state === 'disconnected') people.disconnect(connection);
      else heard({ kind: 'connected', connection });
    }
    for (const [id, { client, user, requestedAt }] of service.state.profileRequests.all())
      if (answered.get(id) === undefined) addProfile(id, client, user, requestedAt);
  }

  const addProfile = (id: string, client: string, user: string, at: number): void =>
    schedule.add({ at, user: keyOf(client, user), what: { kind: 'profile', request: id } });

  function heard(happening: Happening): void {
    switch (happening.kind) {
      case 'connected': {
        const newly = people.connect(happening.connection);
        if (newly !== null) addConnected(keyOf(happening.connection.client, happening.connection.user), newly);
        break;
      }
      case 'disconnected':
        people.disconnect(happening.connection);
        break;
      case 'profile-requested':
        addProfile(happening.id, happening.client, happening.user, clock.now().getTime());
        break;
      case 'lab-received':
        labs.add(happening.id);
        break;
      case 'user-created':
      case 'rule-changed':
        break;
    }
    wake();
  }

  function answerProfile(whom: Whom | null, request: string, at: number): void {
    const isReady = whom !== null && whom.sources.length > 0 && isActive(whom.client, 'user_health_profile');
    const kind = isReady ? makeProfile({ documents, profiles }, whom, request, at) : 'not-connected';
    answered.put(request, { kind });
  }

  /** Everything of one user at one time is one change: done and sent, or neither. */
  function step(dues: readonly Due[]): void {
    const [first] = dues;
    if (first === undefined) return;
    const { at, user } = first;
    const whom = people.whom(user);
    const dates = (kind: Due['what']['kind']): string[] => [
      ...new Set(dues.flatMap(({ what }) => (what.kind === kind && 'date' in what ? [what.date] : []))),
    ];
    kept.together(() => {
      for (const { what } of dues) if (what.kind === 'profile') answerProfile(whom, what.request, at);
      if (whom === null) return;
      for (const { what } of dues) {
        if (what.kind !== 'day-begins') continue;
        const followed = whom.sources.find(({ dataSource }) => dataSource === what.dataSource);
        if (followed === undefined || nextDays.get(`${user} ${what.dataSource}`) !== what.date) continue;
        nextDays.delete(`${user} ${what.dataSource}`);
        if (followed.spans.at(-1)?.until !== null) continue;
        // Eastward the next day begins before this one ends: after a restart, perhaps in a time that was worked off.
        beginDay(user, whom, followed, what.date, Math.max(at, people.workedUntil(user)));
        addNextDay(user, whom, followed, nextDate(what.date));
      }
      for (const date of dates('synced').sort()) workDay(work, whom, date, at);
      if (isActive(whom.client, 'health_monitoring'))
        for (const date of dates('sampled')) monitorSamples(work, whom, date, at);
      for (const date of dates('polled')) pollSteps({ documents, steps, notify: service.notify }, whom, date, at);
      for (const date of dates('scored').sort()) scoreDay(work, whom, date, at);
      people.keepWorked(user, Math.max(at, people.workedUntil(user)));
    });
  }

  function forget(at: number): void {
    if (at < forgottenAt + DAY_MS) return;
    forgottenAt = at;
    documents.forget(at - forgetsAfterDays * DAY_MS);
  }

  async function workOff(until: () => number, onStep: (at: number) => void): Promise<void> {
    for (let n = 0; !isEnding; n += 1) {
      const at = schedule.nextAt();
      if (at === null || at > until()) return;
      onStep(at);
      forget(at);
      step(schedule.take());
      if (sender.waiting() > WAITING_MAX) await sender.below(WAITING_MAX / 2);
      if (n % STEPS_A_TURN === 0) await turn();
    }
  }

  /** One at a time; whoever comes later waits, and then works off what is left. */
  async function alone(task: () => Promise<void>): Promise<void> {
    while (working !== null) await working;
    working = task().finally(() => {
      working = null;
    });
    await working;
  }

  function wake(): void {
    if (!isGoing || isEnding) return;
    if (timer !== null) clearTimeout(timer);
    const nextAt = schedule.nextAt();
    const waitMs = nextAt === null ? TIMER_MAX_MS : clock.realMs(nextAt - clock.now().getTime());
    timer = setTimeout(
      () => {
        timer = null;
        void alone(() =>
          workOff(
            () => clock.now().getTime(),
            () => undefined,
          ),
        ).then(wake);
      },
      Math.min(TIMER_MAX_MS, Math.max(0, waitMs)),
    );
    timer.unref();
  }

  takeUp();
  service.listen(heard);
  clock.onChange(wake);
  service.serve(
    simulationRows({
      service,
      people,
      documents,
      labs: () => kept.table<{ readonly kind: string }>('sim_lab').all(),
      nextAt: schedule.nextAt,
      size: schedule.size,
    }),
  );

  return {
    async runUntil(at, onStep = () => undefined) {
      await alone(() =>
        workOff(
          () => at,
          (due) => {
            const ahead = due - clock.now().getTime();
            if (ahead > 0) clock.advance(ahead);
            onStep(due);
          },
        ),
      );
      const ahead = at - clock.now().getTime();
      if (ahead > 0) clock.advance(ahead);
    },
    goOn() {
      isGoing = true;
      wake();
    },
    async settled() {
      await labs.done();
      await sender.below(1);
    },
    workedUntil: () => {
      const all = people.keys().map((key) => people.workedUntil(key));
      return all.length === 0 ? null : Math.max(...all);
    },
    truth: documents.truth,
    async stop() {
      isEnding = true;
      if (timer !== null) clearTimeout(timer);
      // A receiver that is away must not hold up the end.
      await Promise.race([working ?? Promise.resolve(), turn()]);
      await labs.stop();
    },
  };
}
