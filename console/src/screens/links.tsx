import type { SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

const STATUSES = ['proposed', 'confirmed', 'revoked'] as const;
const isStatus = (value: string | undefined): value is (typeof STATUSES)[number] =>
  STATUSES.some((one) => one === value);

type Link = ValueOf<'links.list'>['links'][number];
const COLUMNS: readonly Column<Link>[] = [
  { name: 'User of the source', show: ({ userId }) => (userId === null ? 'withheld' : <code>{userId}</code>) },
  { name: 'MRN', show: ({ mrn }) => mrn ?? 'restricted' },
  { name: 'Status', show: ({ status }) => <State is={status} /> },
  { name: 'Known by', show: ({ evidence }) => evidence },
  { name: 'Changed', show: ({ changedAt }) => <Time at={changedAt} /> },
  { name: 'By', show: ({ actor }) => actor },
];

function NewLink({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const { user, mrn, evidence } = textsOf(form, 'user', 'mrn', 'evidence');
    const body = evidence === '' ? { mrn } : { mrn, evidence };
    const isDone = await act.run(
      ask('links.put', { params: { user_id: user }, body }),
      ({ status, released, retracting }) =>
        `${status}; ${released} deliveries go on, ${retracting} leave the chart they stood in.`,
    );
    if (!isDone) return;
    form.reset();
    onDone();
  };
  return (
    <form className="card" aria-labelledby="new-link" onSubmit={(event) => void onSubmit(event)}>
      <h2 id="new-link">Link a user</h2>
      <div className="row">
        <Field label="User of the source" name="user" required />
        <Field label="Medical record number" name="mrn" required />
        <Field label="How it is known (optional)" name="evidence" maxLength={200} />
        <button type="submit" disabled={act.isBusy}>
          Confirm
        </button>
      </div>
      <Outcome of={act} />
    </form>
  );
}

/** A file is first played without effect; what it would do is shown with a button that does it. */
function ImportLinks({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const send = async (form: HTMLFormElement, isDry: boolean): Promise<void> => {
    const file = new FormData(form).get('file');
    if (!(file instanceof File)) return;
    const content = new Uint8Array(await file.arrayBuffer());
    const isDone = await act.run(
      ask('links.import', { query: { dry_run: isDry ? 'true' : 'false' }, bytes: { type: 'text/csv', content } }),
      ({ rows, confirmed, changed, unchanged, bad }) =>
        `${isDry ? 'Would confirm' : 'Confirmed'} ${confirmed}, change ${changed}, leave ${unchanged} of ${rows} rows as they are; ${bad.length} bad${bad
          .slice(0, 10)
          .map(({ line, code }) => `; line ${line}: ${code}`)
          .join('')}.`,
    );
    if (isDone && !isDry) onDone();
  };
  return (
    <form
      className="card"
      aria-labelledby="import-links"
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget, true);
      }}
    >
      <h2 id="import-links">Many links, as CSV</h2>
      <div className="row">
        <Field label="Columns user_id and mrn" type="file" name="file" accept=".csv,text/csv" required />
        <button type="submit" className="plain" disabled={act.isBusy}>
          Try it without effect
        </button>
        <button
          type="button"
          disabled={act.isBusy}
          onClick={({ currentTarget }) => currentTarget.form !== null && void send(currentTarget.form, false)}
        >
          Import
        </button>
      </div>
      <Outcome of={act} />
    </form>
  );
}

export function Links() {
  const [{ status, cursor }, change] = useQuery();
  const query = { status: isStatus(status) ? status : undefined, cursor, limit: 50 };
  const found = useAsk('links.list', { query });
  const mayChange = useMay('links.change');
  return (
    <Screen title="Links" actions={<CopyAs id="links.list" call={{ query }} />}>
      {mayChange ? (
        <>
          <NewLink onDone={found.again} />
          <ImportLinks onDone={found.again} />
        </>
      ) : null}
      <form className="card row" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Status"
          value={status}
          of={STATUSES}
          onChange={(to) => change({ status: to, cursor: undefined })}
        />
      </form>
      <Shown of={found}>
        {({ links, next }) =>
          links.length === 0 ? (
            <p>No link is like that. A user whose data waits is linked above.</p>
          ) : (
            <>
              <Table caption="Links, newest first" rows={links} columns={COLUMNS} keyOf={({ id }) => id} />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
