import { useState, type SyntheticEvent } from 'react';
import { ask, type Reply, type ValueOf } from '../api/ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { Field } from '../ui/field.tsx';
import { Progress } from '../ui/progress.tsx';
import { Table } from '../ui/table.tsx';

type Imported = ValueOf<'links.import'>;
type Bad = Imported['bad'][number];
const ROWS_AT_ONCE = 200;
const BAD_SHOWN = 200;

const WHY: Readonly<Record<Bad['code'], string>> = {
  'row.quotes': 'a quote where none may be, or one that is never closed',
  'row.columns': 'more or fewer cells than the first line has',
  'row.user-id': 'the user is empty, too long or has characters that nobody sees',
  'row.mrn': 'the MRN is empty, too long, or has blanks or invisible characters',
  'row.client': 'no client is given or set, or it cannot be one',
  'row.status': 'the status is neither proposed nor confirmed',
  'row.evidence': 'the evidence is too long or has more than one line',
  'row.repeated': 'the user stands in another line too',
};

const send = (content: string, isDry: boolean): Promise<Reply<Imported>> =>
  ask('links.import', { query: { dry_run: isDry ? 'true' : 'false' }, bytes: { type: 'text/csv', content } });

/**
 * Rows that can be sent in parts, without those that are bad; null where a cell goes on in the next line, since a part
 * might then begin inside of it and be read as another row.
 */
function partsOf(text: string, bad: readonly Bad[]): string[] | null {
  const [head = '', ...lines] = text.split(/\r\n|\n|\r/);
  if ([head, ...lines].some((line) => line.split('"').length % 2 === 0)) return null;
  const skipped = new Set(bad.map(({ line }) => line));
  const good = lines.filter((line, i) => line !== '' && !skipped.has(i + 2));
  return Array.from({ length: Math.ceil(good.length / ROWS_AT_ONCE) }, (_, i) =>
    [head, ...good.slice(i * ROWS_AT_ONCE, (i + 1) * ROWS_AT_ONCE), ''].join('\r\n'),
  );
}

const NOTHING = { rows: 0, confirmed: 0, changed: 0, proposed: 0, unchanged: 0, released: 0, retracting: 0 };
type Sums = typeof NOTHING;
const added = (a: Sums, b: Sums): Sums =>
  Object.fromEntries(Object.keys(a).map((key) => [key, a[key as keyof Sums] + b[key as keyof Sums]])) as Sums;
const wordsOf = ({ confirmed, changed, proposed, unchanged }: Sums): string =>
  `${confirmed.toLocaleString()} confirmed, ${changed.toLocaleString()} changed, ${proposed.toLocaleString()} proposed, ${unchanged.toLocaleString()} as they are`;

interface Checked {
  readonly text: string;
  readonly name: string;
  readonly found: Imported;
}

/** A file is first played without effect, as a whole; what is good of it is then sent in parts. */
export function ImportLinks({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const [checked, setChecked] = useState<Checked | null>(null);
  const [done, setDone] = useState<number | null>(null);

  const check = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const file = new FormData(event.currentTarget).get('file');
    if (!(file instanceof File)) return;
    setChecked(null);
    const text = await file.text();
    await act.run(send(text, true), (found) => {
      setChecked({ text, name: file.name, found });
      return `Nothing was changed yet. Of ${found.rows.toLocaleString()} rows: ${wordsOf(found)}, ${found.bad.length.toLocaleString()} bad.`;
    });
  };

  async function sendAll({ text, found }: Checked): Promise<Reply<Sums>> {
    const parts = partsOf(text, found.bad) ?? [text];
    let sums = NOTHING;
    for (const part of parts) {
      setDone(sums.rows);
      const reply = await send(part, false);
      if (reply.kind === 'refused') return reply;
      sums = added(sums, reply.value);
    }
    return { kind: 'done', value: sums };
  }
  const apply = async (all: Checked): Promise<void> => {
    const isDone = await act.run(
      sendAll(all),
      (sums) =>
        `Imported: ${wordsOf(sums)}. ${sums.released.toLocaleString()} deliveries go on, ${sums.retracting.toLocaleString()} leave the chart they stood in.`,
    );
    setDone(null);
    if (isDone) setChecked(null);
    onDone();
  };
  const good = checked === null ? 0 : checked.found.rows - checked.found.bad.length;
  return (
    <form className="import" aria-label="Many links, as CSV" onSubmit={(event) => void check(event)}>
      <div className="row">
        <Field
          label="File with the columns user_id and mrn; also client_uuid, status, evidence"
          type="file"
          name="file"
          accept=".csv,text/csv"
          required
          onChange={() => setChecked(null)}
        />
        <button type="submit" className="plain" disabled={act.isBusy}>
          Check without effect
        </button>
        {checked !== null && good > 0 ? (
          <button type="button" disabled={act.isBusy} onClick={() => void apply(checked)}>
            Import {good.toLocaleString()} {good === 1 ? 'row' : 'rows'}
          </button>
        ) : null}
      </div>
      {done === null ? null : (
        <Progress label={`${done.toLocaleString()} of ${good.toLocaleString()} rows …`} done={done} of={good} />
      )}
      <Outcome of={act} />
      {checked === null || checked.found.bad.length === 0 ? null : (
        <Table
          caption={`Rows that cannot be taken${checked.found.bad.length > BAD_SHOWN ? `, the first ${BAD_SHOWN}` : ''}`}
          rows={checked.found.bad.slice(0, BAD_SHOWN)}
          columns={[
            { name: 'Line', show: ({ line }) => line, isNumber: true },
            { name: 'What is wrong', show: ({ code }) => WHY[code] },
          ]}
          keyOf={({ line, code }) => `${line} ${code}`}
        />
      )}
    </form>
  );
}
