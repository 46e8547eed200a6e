import { useState, type SyntheticEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { DialogButtons } from '../../ui/dialog-buttons.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { Time } from '../../ui/time.tsx';
import { kindWords, linkedWords, NAME_PATTERN, type Group } from './groups.tsx';
import { Members } from './members.tsx';
import { MrnList, mrnsOf } from './mrn-list.tsx';
import { changeGroup } from './send-mrns.ts';

function Change({ of, onDone }: { readonly of: Group; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const act = useAct();
  const close = (): void => {
    setOpen(false);
    if (act.said?.isGood === true) onDone();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const { name } = textsOf(form, 'name');
    const changes = { add: mrnsOf(form, 'add'), remove: mrnsOf(form, 'remove') };
    const isDone = await act.run(
      changeGroup(of.id, name === of.name ? changes : { name, ...changes }),
      (now) => `Changed: ${linkedWords(now)} are linked now.`,
    );
    if (isDone) for (const area of form.querySelectorAll('textarea')) area.value = '';
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Change …
      </button>
      {isOpen ? (
        <Dialog title="Change the group" onClose={close}>
          <form onSubmit={(event) => void onSubmit(event)}>
            <Field label="Name" name="name" required maxLength={100} pattern={NAME_PATTERN} defaultValue={of.name} />
            <MrnList label="MRNs to put in" name="add" />
            <MrnList label="MRNs to take out" name="remove" />
            <Outcome of={act} />
            <Recorded of={act} />
            <DialogButtons does="Change it" isBusy={act.isBusy} closes="Close" onClose={close} />
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

function Remove({ of: { id, name }, onDone }: { readonly of: Group; readonly onDone: () => void }) {
  return (
    <Confirm
      label="Remove …"
      title={`Remove ${name}?`}
      act={{
        words: 'Remove',
        run: (act) => act.run(ask('groups.remove', { params: { id } }), () => `${name} is removed.`),
      }}
      onDone={onDone}
    >
      <p>
        Apps do not find the group any more. The patients and their links stay as they are, and exports that run go on.
      </p>
    </Confirm>
  );
}

/** One group: who may be exported with it, and for a list its name and its MRNs. */
export function OneGroup({ id }: { readonly id: string }) {
  const found = useAsk('groups.get', { params: { id } });
  const mayChange = useMay('links.change');
  const maySeeLinks = useMay('links.read');
  const [turn, setTurn] = useState(0);
  const [, go] = useLocation();
  const changed = (): void => {
    found.again();
    setTurn((n) => n + 1);
  };
  return (
    <Screen
      title="Patient group"
      actions={
        <span className="row">
          <Link to="/groups">All groups</Link>
          <CopyAs id="groups.get" call={{ params: { id } }} command={`groups show ${id}`} />
        </span>
      }
    >
      <Shown of={found}>
        {(group) => (
          <>
            <section className="card" aria-labelledby="group">
              <h2 id="group">{group.name}</h2>
              <dl className="facts">
                <dt>Who is in it</dt>
                <dd>{kindWords(group)}</dd>
                <dt>{group.members === null ? 'Linked' : 'Linked, of its MRNs'}</dt>
                <dd>{linkedWords(group)}</dd>
                {group.madeBy === null ? null : (
                  <>
                    <dt>Made by</dt>
                    <dd>{group.madeBy}</dd>
                  </>
                )}
                {group.changedAt === null ? null : (
                  <>
                    <dt>Changed</dt>
                    <dd>
                      <Time at={group.changedAt} />
                    </dd>
                  </>
                )}
                <dt>For apps</dt>
                <dd>
                  <code>/fhir/Group/{group.id}/$export</code>
                </dd>
              </dl>
              {group.kind === 'list' ? (
                mayChange ? (
                  <div className="row">
                    <Change of={group} onDone={changed} />
                    <Remove of={group} onDone={() => go('/groups')} />
                  </div>
                ) : null
              ) : (
                <p>
                  The gateway keeps it by itself: it follows{' '}
                  {group.kind === 'all' ? 'the links' : 'the connections of patients'} and cannot be changed.{' '}
                  {group.kind === 'all' && maySeeLinks ? (
                    <Link to="/links?status=confirmed">See the confirmed links</Link>
                  ) : null}
                </p>
              )}
            </section>
            {group.kind === 'list' ? <Members key={turn} id={id} onChange={found.again} /> : null}
          </>
        )}
      </Shown>
    </Screen>
  );
}
