import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Word = ValueOf<'mappings.unmapped'>['unmapped'][number];
/** As many as one question gives: sorted by how often each was met. */
const WORDS = 200;

const KIND: Readonly<Record<Word['kind'], string>> = {
  code: 'code',
  context: 'context of a code',
  unit: 'unit',
  structure: 'data structure',
};

function Proposals({ of }: { readonly of: Word['proposals'] }) {
  if (of.length === 0) return <span className="quiet">none</span>;
  return (
    <ul className="changes">
      {of.map(({ system, code, display, row }) => (
        <li key={`${system} ${code} ${row}`}>
          <code title={system}>{code}</code> {display}
          <div className="small quiet">
            like <Link to={`/mappings?part=rows&text=${encodeURIComponent(code)}`}>{row}</Link>
          </div>
        </li>
      ))}
    </ul>
  );
}

const columnsOf = (mayOpen: boolean): readonly Column<Word>[] => [
  { name: 'Met', show: ({ count }) => `${count.toLocaleString()} ×`, isNumber: true },
  {
    name: 'As the source says it',
    show: ({ what, kind }) => (
      <>
        <code>{what}</code>
        <div className="small quiet">{KIND[kind]}</div>
      </>
    ),
  },
  {
    name: 'In',
    show: (word) =>
      mayOpen ? (
        <>
          {word.dataStructure}
          <div className="small">
            <Link to={`/deliveries?word=${word.id}`}>what waits for it</Link>
          </div>
        </>
      ) : (
        word.dataStructure
      ),
  },
  { name: 'What it might be', show: ({ proposals }) => <Proposals of={proposals} /> },
  {
    name: 'Last met',
    show: ({ firstAt, lastAt }) => (
      <>
        <Time at={lastAt} />
        <div className="small quiet">
          first <Time at={firstAt} />
        </div>
      </>
    ),
  },
];

/** Words of the source that nobody has mapped, the most frequent first. */
export function Unmapped() {
  const [{ cursor }, change] = useQuery();
  const mayOpen = useMay('deliveries.read');
  const query = { cursor, limit: WORDS };
  const found = useAsk('mappings.unmapped', { query });
  return (
    <section className="card" aria-labelledby="unmapped">
      <div className="between">
        <h2 id="unmapped">What nobody has mapped</h2>
        <CopyAs id="mappings.unmapped" call={{ query }} command="unmapped" />
      </div>
      <Shown of={found}>
        {({ unmapped, next }) =>
          unmapped.length === 0 ? (
            <p className="good">Every code, unit and structure that came has a mapping.</p>
          ) : (
            <>
              <p className="quiet">
                Add a row to a file of the mapping data and have it reviewed; then check and load the files. Proposals
                compare words alone: nobody reviewed them, and they are never used by themselves.
              </p>
              <Table
                caption={
                  next === null && cursor === undefined
                    ? 'The most frequent first'
                    : `Of the ${unmapped.length} words of this page, the most frequent first`
                }
                rows={[...unmapped].sort((a, b) => b.count - a.count)}
                columns={columnsOf(mayOpen)}
                keyOf={({ id }) => id}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
