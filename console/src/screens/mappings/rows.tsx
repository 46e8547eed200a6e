import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';

type Row = ValueOf<'mappings.rows'>['rows'][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'The source says',
    show: ({ code, when, file, row }) => (
      <div className="prose">
        <strong>{code}</strong>
        {when === null ? null : <div className="small">{when}</div>}
        <code className="small quiet" title={file}>
          {row}
        </code>
      </div>
    ),
  },
  {
    name: 'Written as',
    show: ({ target, display, system }) => (
      <>
        <code>{target}</code> {display}
        <div className="small quiet">{system}</div>
      </>
    ),
  },
  { name: 'Says', show: ({ says }) => says },
  {
    name: 'Who says so',
    show: ({ source, reviewer }) => (
      <div className="prose small">
        {source}
        <div className="quiet">Reviewed by {reviewer}</div>
      </div>
    ),
  },
];

const isFile = (text: string): boolean => /^[a-z0-9-]{1,60}\.json$/.test(text);
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The rows in force, with who says so and who reviewed them. */
export function Rows() {
  const [{ text, file, cursor }, change] = useQuery();
  const query = { text, file: file !== undefined && isFile(file) ? file : undefined, cursor, limit: 50 };
  const found = useAsk('mappings.rows', { query });
  const command = [
    'mappings rows',
    ...(text === undefined ? [] : [`--text ${quoted(text)}`]),
    ...(query.file === undefined ? [] : [`--file ${query.file}`]),
  ].join(' ');
  return (
    <section className="card" aria-labelledby="rows">
      <div className="between">
        <h2 id="rows">Rows in force</h2>
        <CopyAs id="mappings.rows" call={{ query }} command={command} />
      </div>
      <form
        className="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const given = textsOf(event.currentTarget, 'text', 'file');
          change({ ...given, part: 'rows', cursor: undefined });
        }}
      >
        <Field
          key={`text ${text ?? ''}`}
          label="Word, code, source or reviewer"
          name="text"
          defaultValue={text}
          maxLength={100}
        />
        <Field
          key={`file ${file ?? ''}`}
          label="File"
          name="file"
          defaultValue={file}
          placeholder="any"
          pattern="[a-z0-9-]{1,60}\.json"
          title="The name of a file, such as conceptmap-metrics.json"
        />
        <button type="submit">Search</button>
      </form>
      <Shown of={found}>
        {({ total, rows, next }) =>
          rows.length === 0 ? (
            <p>
              No row is like that. Search for another word
              {text === undefined ? '' : '; a row for this one can be added to a file of the mapping data, and loaded'}.
            </p>
          ) : (
            <>
              <Table
                caption={`${total.toLocaleString()} ${total === 1 ? 'row' : 'rows'}`}
                rows={rows}
                columns={COLUMNS}
                keyOf={({ file: of, row }) => `${of} ${row}`}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ part: 'rows', cursor: to })} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
