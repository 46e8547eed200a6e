import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { durationOf, Time } from '../../ui/time.tsx';

type Lane = ValueOf<'targets.lanes'>['lanes'][number];

const WHY: Readonly<Record<Lane['why'], string>> = {
  sending: 'It is being sent.',
  paused: 'Sending is paused.',
  shadow: 'In shadow mode nothing is written.',
  held: 'What waited in shadow mode must be confirmed.',
  breaker: 'The EHR fails and is left alone.',
  'not-probed': 'The EHR has not said what it can.',
  retraction: 'The document must leave another chart first.',
  retry: 'The last attempt failed.',
  turn: 'It is next.',
};

const KIND: Readonly<Record<Lane['kind'], string>> = { deliver: 'to be written', retract: 'to leave the chart' };

const columnsOf = (mayOpen: boolean): readonly Column<Lane>[] => [
  {
    name: 'Waits since',
    show: ({ since }) => (
      <>
        <Time at={since} />
        <div className="small quiet">{durationOf(Math.max(0, Date.now() - Date.parse(since)))}</div>
      </>
    ),
  },
  {
    name: 'Why',
    show: ({ why, faultCode, nextAt, attempts }) => (
      <div className="prose">
        {WHY[why]}
        {faultCode === null ? null : (
          <div className="small quiet">
            After {attempts} {attempts === 1 ? 'attempt' : 'attempts'}: <code>{faultCode}</code>
            {nextAt === null ? '' : ', again '}
            {nextAt === null ? null : <Time at={nextAt} />}
          </div>
        )}
      </div>
    ),
  },
  { name: 'Patient', show: ({ mrn }) => mrn ?? <span className="quiet">not shown to you</span> },
  { name: 'Deliveries', show: ({ jobs }) => jobs.toLocaleString(), isNumber: true },
  {
    name: 'The oldest',
    show: ({ deliveryId, kind }) => (
      <>
        {mayOpen ? (
          <Link to={`/deliveries/${deliveryId}`}>
            <code>{deliveryId}</code>
          </Link>
        ) : (
          <code>{deliveryId}</code>
        )}
        <div className="small quiet">{KIND[kind]}</div>
      </>
    ),
  },
];

/** Asked once and by the button alone: each look at patients is in the audit. */
export function Lanes({ id }: { readonly id: string }) {
  const [{ lanes: cursor }, change] = useQuery();
  const mayOpen = useMay('deliveries.read');
  const call = { params: { id }, query: { cursor, limit: 20 } };
  const found = useAsk('targets.lanes', call);
  return (
    <section className="card" aria-labelledby="lanes">
      <div className="between">
        <h2 id="lanes">Who waits longest, and why</h2>
        <span className="row">
          <button type="button" className="plain" onClick={found.again}>
            Look again
          </button>
          <CopyAs id="targets.lanes" call={call} command="targets lanes" />
        </span>
      </div>
      <Shown of={found}>
        {({ lanes, next }) =>
          lanes.length === 0 && next === null && cursor === undefined ? (
            <p className="good">Nobody waits.</p>
          ) : (
            <>
              <Table
                caption="Patients whose deliveries wait, the longest wait first"
                rows={lanes}
                columns={columnsOf(mayOpen)}
                keyOf={({ deliveryId, kind }) => `${deliveryId} ${kind}`}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ lanes: to })} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
