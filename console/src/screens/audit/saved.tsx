import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Shown } from '../../ui/screen.tsx';
import type { Query } from './filters.tsx';

type Saved = ValueOf<'audit.searches'>['searches'][number];

function Save({ query, onDone }: { readonly query: Query; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { name } = textsOf(event.currentTarget, 'name');
    const { cursor: _cursor, limit: _limit, ...search } = query;
    if (!(await act.run(ask('audit.saveSearch', { body: { name, search } }), () => 'Saved.'))) return;
    setOpen(false);
    onDone();
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Save this search …
      </button>
      {isOpen ? (
        <Dialog title="Save this search" onClose={() => setOpen(false)}>
          <p>It is sealed, and nobody but you sees it. One of the same name is replaced.</p>
          <form onSubmit={(event) => void onSubmit(event)}>
            <Field label="Name" name="name" required maxLength={100} autoFocus />
            <Outcome of={act} />
            <div className="row">
              <button type="submit" disabled={act.isBusy}>
                Save
              </button>
              <button type="button" className="plain" onClick={() => setOpen(false)}>
                Leave it
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

/** The searches that the reader keeps: use one, save what is shown, remove one. */
export function SavedSearches({ query, onUse }: { readonly query: Query; readonly onUse: (saved: Saved) => void }) {
  const kept = useAsk('audit.searches');
  const act = useAct();
  const remove = async ({ id, name }: Saved): Promise<void> => {
    if (await act.run(ask('audit.removeSearch', { params: { id } }), () => `${name} is removed.`)) kept.again();
  };
  return (
    <section aria-label="Saved searches">
      <div className="row saved">
        <Shown of={kept}>
          {({ searches }) => (
            <>
              {searches.map((saved) => (
                <span className="chip" key={saved.id}>
                  <button type="button" className="plain" onClick={() => onUse(saved)}>
                    {saved.name}
                  </button>
                  <button
                    type="button"
                    className="plain"
                    aria-label={`Remove ${saved.name}`}
                    onClick={() => void remove(saved)}
                  >
                    ×
                  </button>
                </span>
              ))}
            </>
          )}
        </Shown>
        <Save query={query} onDone={kept.again} />
      </div>
      {act.said === null ? null : <Outcome of={act} />}
    </section>
  );
}
