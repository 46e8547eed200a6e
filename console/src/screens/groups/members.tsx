import { EyeIcon } from '@primer/octicons-react';
import { useState, type ReactNode } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useHandles, type FindHandle } from '../../api/handles.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { PatientLink } from '../../ui/named.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';

type Member = ValueOf<'groups.members'>['members'][number];

function TakeOut({
  group,
  mrn,
  onDone,
}: {
  readonly group: string;
  readonly mrn: string;
  readonly onDone: () => void;
}) {
  return (
    <Confirm
      label="Take out …"
      title="Take this patient out of the group?"
      act={{
        words: 'Take out',
        run: (act) =>
          act.run(ask('groups.change', { params: { id: group }, body: { remove: [mrn] } }), () => 'Taken out.'),
      }}
      onDone={onDone}
    >
      <p>MRN {mrn} is not exported with the group any more. Exports that run go on with whom they have found.</p>
    </Confirm>
  );
}

function Listed({ id, onChange }: { readonly id: string; readonly onChange: () => void }) {
  const [cursor, setCursor] = useState<string | undefined>();
  const call = { params: { id }, query: { ...(cursor === undefined ? {} : { cursor }), limit: 50 } };
  const found = useAsk('groups.members', call);
  const mayChange = useMay('links.change');
  const find = useHandles(
    (found.value?.members ?? []).map(({ mrn }) => mrn),
    [],
  );
  const done = (): void => {
    found.again();
    onChange();
  };
  return (
    <Shown of={found}>
      {({ members, next }) => (
        <>
          <div className="between">
            <span className="small quiet">
              <EyeIcon size={12} aria-hidden /> Every look at a patient is kept in the audit.
            </span>
            <CopyAs id="groups.members" call={call} command={`groups members ${id}`} />
          </div>
          {members.length === 0 ? (
            <p>Nobody is in it.</p>
          ) : (
            <Table
              caption="Patients of the group"
              rows={members}
              columns={columnsOf(find, mayChange, (mrn) => (
                <TakeOut group={id} mrn={mrn} onDone={done} />
              ))}
              keyOf={({ mrn }) => mrn}
            />
          )}
          <Pages cursor={cursor} next={next} onGo={setCursor} />
        </>
      )}
    </Shown>
  );
}

const columnsOf = (
  find: FindHandle,
  mayChange: boolean,
  actOf: (mrn: string) => ReactNode,
): readonly Column<Member>[] => [
  { name: 'MRN', show: ({ mrn }) => <PatientLink mrn={mrn} find={find} /> },
  {
    name: 'Link',
    show: ({ isLinked }) =>
      isLinked ? <State is="confirmed" /> : <span className="quiet">no link, so it is not exported</span>,
  },
  ...(mayChange ? [{ name: 'Acts', show: ({ mrn }: Member) => actOf(mrn) }] : []),
];

/** Who is in a list; asked when somebody wants to know, since each look is kept in the audit. */
export function Members({ id, onChange }: { readonly id: string; readonly onChange: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="members">
      <h2 id="members">Who is in it</h2>
      {isOpen ? (
        <Listed id={id} onChange={onChange} />
      ) : (
        <button type="button" className="plain" onClick={() => setOpen(true)}>
          Show the patients
        </button>
      )}
    </section>
  );
}
