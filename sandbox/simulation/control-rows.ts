import { makeLabReport, printPages } from '../lab-reports/index.ts';
import { addDays } from '../population/index.ts';
import { healthScoreOf } from '../summaries/index.ts';
import { json, keyOf, refuse, type DemoService, type Row } from '../service/index.ts';
import type { Documents } from './documents.ts';
import { dateOf } from './follow.ts';
import type { People } from './people.ts';
import { granularOf } from './unpublished.ts';
import { sourceDaysAt, summaryOf } from './work-day.ts';

const DAYS_SHOWN = 30;

const isSmall = (number: number): boolean => Number.isInteger(number) && number >= 0 && number < 1_000_000;

function counted(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** `/_control/simulation`: what the simulation knows, published or not. Invented, so it may be shown. */
export function simulationRows(deps: {
  readonly service: DemoService;
  readonly people: People;
  readonly documents: Documents;
  readonly labs: () => readonly (readonly [string, { readonly kind: string }])[];
  readonly nextAt: () => number | null;
  readonly size: () => number;
}): readonly Row[] {
  const { service, people, documents } = deps;
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return [
    {
      method: 'GET',
      path: '/_control/simulation',
      handle: () => {
        const clients = service.state.clients.all();
        const structures = clients.flatMap(([client]) =>
          documents.list(client, null).map(({ structure }) => structure),
        );
        return json(200, {
          now: service.clock.now().toISOString(),
          speed: service.clock.speed(),
          users: people.keys().length,
          documents: counted(structures),
          laboratory: counted(deps.labs().map(([, { kind }]) => kind)),
          scheduled: deps.size(),
          nextAt: time(deps.nextAt()),
        });
      },
    },
    {
      method: 'GET',
      path: '/_control/simulation/{client_uuid}/{user_id}',
      handle: (asked) => {
        const { client_uuid: client = '', user_id: user = '' } = asked.params;
        const whom = people.whom(keyOf(client, user));
        if (whom === null) return refuse(asked, 404, 'no such user');
        const nowMs = service.clock.now().getTime();
        const today = dateOf(whom.world, nowMs);
        const days = Array.from({ length: DAYS_SHOWN + 1 }, (_, i) => addDays(today, i - DAYS_SHOWN)).flatMap(
          (date) => {
            const sourceDays = sourceDaysAt(whom, date, nowMs);
            const summary = summaryOf(whom, sourceDays);
            if (summary === null) return [];
            const events = sourceDays.flatMap((day) => granularOf(whom, day));
            return [{ ...summary, healthScore: healthScoreOf(summary), events }];
          },
        );
        return json(200, {
          person: whom.world.person,
          workedUntil: time(people.workedUntil(keyOf(client, user))),
          documents: documents.list(client, user).map(({ structure, name, version }) => ({ structure, name, version })),
          days,
        });
      },
    },
    {
      method: 'GET',
      path: '/_control/lab-report/{seed}/{n}',
      handle: async (asked) => {
        const [seed, n] = [Number(asked.params['seed']), Number(asked.params['n'])];
        if (!isSmall(seed) || !isSmall(n)) return refuse(asked, 400, 'seed and n are whole numbers from 0 to 999999');
        const { pages } = makeLabReport({ seed, n });
        return { status: 200, headers: { 'Content-Type': 'application/pdf' }, body: await printPages(pages) };
      },
    },
  ];
}
