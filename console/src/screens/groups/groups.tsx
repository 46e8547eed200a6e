import { useState, type SyntheticEvent } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { MrnList, mrnsOf } from './mrn-list.tsx';
import { makeGroup } from './send-mrns.ts';

export type Group = ValueOf<'groups.get'>;

const PAGE = 50;
/** As the API takes a name. */
export const NAME_PATTERN = '[^<>]{1,100}';
export const linkedWords = ({ linked, members }: Pick<Group, 'linked' | 'members'>): string =>
  members === null ? linked.toLocaleString() : `${linked.toLocaleString()} of ${members.toLocaleString()}`;

const KINDS: Readonly<Record<Group['kind'], string>> = {
  all: 'every linked patient',
  connection: 'those with this data source',
  list: 'a list of MRNs',
};
export const kindWords = ({ kind }: Group): string => KINDS[kind];

function Make({ onDone }: { readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [isMade, setMade] = useState(false);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (isMade) onDone();
    setMade(false);
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const isDone = await act.run(
      makeGroup(textsOf(form, 'name').name, mrnsOf(form, 'mrns')),
      (made) => `${made.name} is made: ${linkedWords(made)} are linked.`,
    );
    if (isDone) setMade(true);
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Make a group …
      </button>
      {isOpen ? (
        <Dialog title="Make a group of a list" onClose={close}>
          <form onSubmit={(event) => void onSubmit(event)}>
            {isMade ? null : (
              <>
                <Field
                  label="Name"
                  name="name"
                  required
                  maxLength={100}
                  pattern={NAME_PATTERN}
                  hint="Apps read it, with nothing of a patient in it."
                />
                <MrnList
                  label="MRNs"
                  name="mrns"
                  hint="One a line, as the EHR has them. Who is not linked may stand in it, and is not exported until then."
                />
              </>
            )}
            <Outcome of={act} />
            <Recorded of={act} />
            {isMade ? (
              <button type="button" onClick={close}>
                Close
              </button>
            ) : (
              <DialogButtons does="Make it" isBusy={act.isBusy} onClose={close} />
            )}
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

const NAMED: readonly Column<Group>[] = [
  {
    name: 'Group',
    show: ({ id, name }) => (
      <>
        <Link to={`/groups/${encodeURIComponent(id)}`}>{name}</Link>
        <div className="small quiet">
          <code>{id}</code>
        </div>
      </>
    ),
  },
];
const STANDARD: readonly Column<Group>[] = [
  ...NAMED,
  { name: 'Who is in it', show: kindWords },
  { name: 'Linked', show: linkedWords, isNumber: true },
];
const LISTS: readonly Column<Group>[] = [
  ...NAMED,
  { name: 'Linked, of its MRNs', show: linkedWords, isNumber: true },
  { name: 'Made by', show: ({ madeBy }) => madeBy },
  { name: 'Changed', show: ({ changedAt }) => <Time at={changedAt} /> },
];

/** Groups of patients whose charts an app can take away in bulk. */
export function Groups() {
  const [{ cursor }, change] = useQuery();
  const query = { cursor, limit: PAGE };
  const found = useAsk('groups.list', { query });
  const mayChange = useMay('links.change');
  return (
    <Screen title="Patient groups" actions={<CopyAs id="groups.list" call={{ query }} command="groups list" />}>
      <p>An app that may export takes the charts of a group at once. Nobody is exported without a confirmed link.</p>
      <Shown of={found}>
        {({ standard, groups, next }) => (
          <>
            {standard.length === 0 ? null : (
              <section className="card" aria-labelledby="standard">
                <h2 id="standard">Kept by the gateway itself</h2>
                <Table
                  caption="All linked patients, and those of each data source that somebody is connected to"
                  rows={standard}
                  columns={STANDARD}
                  keyOf={({ id }) => id}
                />
              </section>
            )}
            <section className="card" aria-labelledby="lists">
              <div className="between">
                <h2 id="lists">Lists</h2>
                {mayChange ? <Make onDone={found.again} /> : null}
              </div>
              {groups.length === 0 && cursor === undefined ? (
                <p>Nobody has made a group yet. {mayChange ? 'Make one of a list of MRNs.' : ''}</p>
              ) : (
                <>
                  <Table caption="Newest first" rows={groups} columns={LISTS} keyOf={({ id }) => id} />
                  <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
                </>
              )}
            </section>
          </>
        )}
      </Shown>
    </Screen>
  );
}
