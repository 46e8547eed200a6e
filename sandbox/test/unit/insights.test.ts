import { describe, expect, test } from '@jest/globals';
import {
  buildProfile,
  NO_BASELINES,
  nextAlertEvents,
  nextAlertSummary,
  nextBaselines,
  nextStepsEvent,
  oxygenSamples,
  stepsPolls,
  type RuleOf,
  type StepsState,
  type SummaryState,
} from '../../insights/index.ts';
import { DOMAINS } from '../../insights/profile-payload.ts';
import { daysOf, makePerson, type DaySummary, type SourceDay } from '../../population/index.ts';
import { SIGNALS } from '../../service/monitoring-rules.ts';
import { cleanDay } from '../../summaries/index.ts';
import { accepted, DAY, dateAfter, WHOSE } from '../../../test/support/days.ts';

const SEED = 7;
const PEOPLE = 25;
const DAYS = 40;
const FROM = '2026-10-01';
const DATES = Array.from({ length: DAYS }, (_, i) => dateAfter(FROM, i));
const ruleOf: RuleOf = (signal) => ({ rule: SIGNALS[signal]?.standard ?? {}, isDefault: true });
const OPTIONS = { isCleaning: true, isTimeZone: true };

const everything = Array.from({ length: PEOPLE }, (_, n) => {
  const person = makePerson(SEED, n);
  const revisions = DATES.map((date) => person.dataSources.flatMap((name) => daysOf(SEED, person, name, date)));
  return { person, revisions };
});

/** As a day stood each time that something of it synced. */
function standsOf(revisions: readonly SourceDay[]): DaySummary[] {
  const times = [...new Set(revisions.map(({ syncedAt }) => syncedAt))].sort((a, b) => a - b);
  return times.flatMap(
    (at) =>
      cleanDay(
        revisions.filter(({ syncedAt }) => syncedAt <= at),
        OPTIONS,
      ) ?? [],
  );
}

describe('what the population does', () => {
  test('gives steps events that ascend within a day and that the gateway takes', () => {
    let events = 0;
    let failures = 0;
    for (const { revisions } of everything.slice(0, 5)) {
      let state: StepsState | null = null;
      for (const poll of stepsPolls(revisions.flat(), 0, Infinity)) {
        const before: StepsState | null = state;
        const next = nextStepsEvent(before, poll, WHOSE);
        failures += next.failures.length;
        state = next.state;
        if (next.payload === null) continue;
        events += 1;
        if (before?.date === poll.date) expect(next.state.sent?.steps).toBeGreaterThan(before.sent?.steps ?? 0);
        const [event] = next.payload.physical_health.events.steps_event;
        expect(event?.metadata.datetime_string.slice(0, 10)).toBe(poll.date);
        if (events % 40 === 0) accepted(next.payload);
      }
    }
    expect(events).toBeGreaterThan(1_000);
    expect(failures).toBeGreaterThan(0);
  });

  test('gives profiles of several levels that the gateway takes', () => {
    const levels = new Set<string>();
    let made = 0;
    for (const { person, revisions } of everything) {
      const days = revisions.flatMap((one) => cleanDay(one, OPTIONS) ?? []);
      const { sex, birthYear, country, zone } = person;
      const profile = buildProfile(null, {
        whose: WHOSE,
        requestId: '7d0c1a52-0000-4000-8000-00000000000a',
        at: Date.parse(`${dateAfter(FROM, DAYS)}T12:00:00Z`),
        demographics: { sex, birthYear, country, zone },
        days,
      });
      if (profile === null) continue;
      made += 1;
      accepted(profile.payload);
      const { profiles } = profile.payload.user_profile_data;
      for (const name of DOMAINS) levels.add(profiles[name].level_string ?? 'none');
    }
    expect(made).toBeGreaterThan(PEOPLE * 0.8);
    for (const level of ['Optimal', 'Good', 'Moderate', 'Poor']) expect(levels).toContain(level);
  });

  test('gives alerts now and then, summaries of most days, new versions and retractions, all of which the gateway takes', () => {
    const count = { events: 0, summaries: 0, alerts: 0, versions: 0, retractions: 0 };
    for (const { revisions } of everything) {
      let baselines = NO_BASELINES;
      for (const ofDate of revisions) {
        const samples = oxygenSamples(ofDate);
        const first = ofDate[0];
        if (first === undefined) continue;
        const { payloads } = nextAlertEvents([], { whose: WHOSE, samples, ruleOf, at: first.startsAt + DAY });
        for (const payload of payloads) accepted(payload);
        count.events += payloads.length;
        let state: SummaryState | null = null;
        for (const day of standsOf(ofDate)) {
          baselines = nextBaselines(baselines, [day]);
          const next = nextAlertSummary(state, { whose: WHOSE, day, baselines, samples, ruleOf });
          if (next === null) continue;
          accepted(next.payload);
          const { total_alerts_int: total } = next.payload.alerts;
          if (next.payload.document_version === 1) count.summaries += 1;
          else count.versions += 1;
          if (total === 0 && (state?.alerts.total_alerts_int ?? 0) > 0) count.retractions += 1;
          if (total > 0) count.alerts += 1;
          state = JSON.parse(JSON.stringify(next.state)) as SummaryState;
        }
      }
    }
    // Most days after the first seven, and most of them without an alert.
    expect(count.summaries).toBeGreaterThan(PEOPLE * DAYS * 0.4);
    expect(count.alerts).toBeLessThan(count.summaries * 0.4);
    for (const number of Object.values(count)) expect(number).toBeGreaterThan(0);
  });
});
