import { useEffect, useRef, useState, type SyntheticEvent } from 'react';
import { useSearch } from 'wouter';
import { ask, type Reply } from '../../api/ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import type { Query } from './filters.tsx';

const FORMS = [
  ['csv', 'CSV', 'a table for a spreadsheet, of what records tell in clear', 'text/csv'],
  ['events', 'BALP', 'FHIR AuditEvents as IHE describes them, one a line', 'application/fhir+ndjson'],
] as const;
/** As much as a browser keeps in memory with ease; the command has no end. */
const PARTS_MAX = 200;

function save(parts: readonly string[], type: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What was found, as a file; behind a second proof. */
export function Export({ query, reason }: { readonly query: Query; readonly reason: string }) {
  const [isOpen, setOpen] = useState(false);
  const [lines, setLines] = useState<number | null>(null);
  const isLeft = useRef(false);
  const act = useAct();
  const close = (): void => {
    isLeft.current = true;
    setOpen(false);
    setLines(null);
  };
  // The link to the record leads to the screen that this stands on.
  const search = useSearch();
  useEffect(() => setOpen(false), [search]);
  async function collect(form: 'csv' | 'events', isSealedOpen: boolean, why: string): Promise<Reply<string[]>> {
    const parts: string[] = [];
    let count = 0;
    for (let cursor: string | undefined; parts.length < PARTS_MAX;) {
      const particulars = isSealedOpen ? { particulars: 'open' as const } : {};
      const asked = { ...query, form, ...particulars, ...(cursor === undefined ? {} : { cursor }) };
      const part = await ask('audit.export', { query: asked, ...(why === '' ? {} : { reason: why }) });
      if (part.kind === 'refused') return part;
      parts.push(part.value);
      count += part.value.split('\n').length - 1;
      setLines(count);
      if (part.next === null || isLeft.current) return { ...part, value: parts };
      cursor = part.next;
    }
    return {
      kind: 'refused',
      refusal: {
        code: null,
        message: 'That is too much for a browser. Narrow the times, or use the command.',
        problem: {},
      },
    };
  }
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { form, why, open } = textsOf(event.currentTarget, 'form', 'why', 'open');
    const chosen = FORMS.find(([one]) => one === form) ?? FORMS[0];
    isLeft.current = false;
    await act.run(collect(chosen[0], chosen[0] === 'events' && open === 'yes', why), (parts) => {
      const name = `audit-${new Date().toISOString().slice(0, 10)}.${chosen[0] === 'csv' ? 'csv' : 'ndjson'}`;
      if (!isLeft.current) save(parts, chosen[3], name);
      return `Saved as ${name}.`;
    });
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Export …
      </button>
      {isOpen ? (
        <Dialog title="Export what was found" onClose={close}>
          <p>
            Everything that the filters find, not this page alone. You prove who you are, and the export is recorded.
          </p>
          <form onSubmit={(event) => void onSubmit(event)}>
            <fieldset className="boxes">
              <legend>As</legend>
              {FORMS.map(([value, words, meaning], i) => (
                <label key={value}>
                  <input type="radio" name="form" value={value} defaultChecked={i === 0} />
                  <span>
                    <strong>{words}</strong> <span className="small quiet">{meaning}</span>
                  </span>
                </label>
              ))}
              <label>
                <input type="checkbox" name="open" value="yes" />
                <span>
                  <strong>With what was sealed</strong>{' '}
                  <span className="small quiet">BALP alone: patients, and requests as they came</span>
                </span>
              </label>
            </fieldset>
            <Field
              label="Why"
              name="why"
              maxLength={200}
              defaultValue={reason}
              hint="Needed where a patient is restricted; the audit keeps it. Nothing of a patient in it."
            />
            {act.isBusy ? (
              <p role="status">
                <progress /> {(lines ?? 0).toLocaleString()} lines
              </p>
            ) : (
              <Outcome of={act} />
            )}
            <Recorded of={act} />
            <DialogButtons
              does="Export"
              isBusy={act.isBusy}
              closes={act.said?.isGood === true ? 'Close' : 'Leave it'}
              onClose={close}
            />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}
