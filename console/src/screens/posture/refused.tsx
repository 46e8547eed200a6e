import { lazy, Suspense, useMemo } from 'react';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { isSpan, Spans, spanOf } from '../../ui/spans.tsx';
import { Table, type Column } from '../../ui/table.tsx';

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }));

type Reason = ValueOf<'flow.refused'>['refused'][number];

const WORDS: Readonly<Record<Reason['reason'], readonly [what: string, mend: string]>> = {
  secret: [
    'The address had a wrong secret',
    'Give the source the address with the current secret; else somebody guesses.',
  ],
  basic: ['Wrong user or password', 'Compare CHARTGATE_WEBHOOK_BASIC with what the source uses.'],
  certificate: ['No certificate that is allowed', 'Compare CHARTGATE_WEBHOOK_MTLS_NAME with the source’s certificate.'],
  signature: ['The signature does not fit', 'Compare CHARTGATE_WEBHOOK_HMAC_KEY with the key at the source.'],
  'not-configured': ['This webhook is not configured', 'Set its secret, or take its address out at the source.'],
  'too-large': ['The body is too large', 'Raise CHARTGATE_BODY_LIMIT_MB, if such documents are right.'],
  'cut-short': ['The sender did not finish', 'Look at the network between; the source sends it again.'],
  'no-room': ['There was no room in memory', 'Raise CHARTGATE_MEMORY_MB; the source sends it again.'],
  store: ['It could not be stored', 'Look at the database; the source sends it again.'],
  'not-json': ['It is not JSON', 'Tell the source; what came is quarantined.'],
  'foreign-client': ['It is of another client', 'Compare CHARTGATE_CLIENT_UUID; what came is quarantined.'],
};

const COLUMNS: readonly Column<Reason>[] = [
  { name: 'Webhooks', show: ({ total }) => total.toLocaleString(), isNumber: true },
  { name: 'Why', show: ({ reason }) => <div className="prose">{WORDS[reason][0]}</div> },
  { name: 'What to do', show: ({ reason }) => <div className="prose quiet">{WORDS[reason][1]}</div> },
  { name: 'Reason', show: ({ reason }) => <code>{reason}</code> },
];

/** Of two lines one is dashed; more than these would be a tangle. */
const DRAWN = [
  { colour: 'bad', isDashed: false },
  { colour: 'warn', isDashed: true },
  { colour: 'accent', isDashed: false },
] as const;

/** Why webhooks were refused: counts alone, nothing that a sender says. */
export function Refused() {
  const [{ span: given }, change] = useQuery();
  const span = isSpan(given) ? given : 'day';
  const found = useAsk('flow.refused', { query: { span } }, { everyMs: 60_000 });
  const { value } = found;
  const met = useMemo(
    () => (value?.refused ?? []).filter(({ total }) => total > 0).sort((a, b) => b.total - a.total),
    [value],
  );
  const lines = useMemo(
    () =>
      DRAWN.flatMap((how, i) => (met[i] === undefined ? [] : [{ name: met[i].reason, values: met[i].counts, ...how }])),
    [met],
  );
  return (
    <section className="card" aria-labelledby="refused">
      <div className="between">
        <h2 id="refused">Refused webhooks</h2>
        <span className="row">
          <CopyAs id="flow.refused" call={{ query: { span } }} command={`webhooks refused --span ${span}`} />
          <Spans value={span} onChange={(to) => change({ span: spanOf(to, 'day') })} />
        </span>
      </div>
      <Shown of={found}>
        {({ total, from, widthSeconds }) =>
          total === 0 ? (
            <p className="good">No webhook was refused in the last {span}.</p>
          ) : (
            <>
              <Table
                caption={`${total.toLocaleString()} in the last ${span}`}
                rows={met}
                columns={COLUMNS}
                keyOf={({ reason }) => reason}
              />
              <Suspense fallback={<p role="status">One moment …</p>}>
                <Chart
                  title="The most frequent reasons"
                  fromMs={Date.parse(from)}
                  widthSeconds={widthSeconds}
                  lines={lines}
                />
              </Suspense>
            </>
          )
        }
      </Shown>
    </section>
  );
}
