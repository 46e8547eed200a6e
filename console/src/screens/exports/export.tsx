import { useState } from 'react';
import { Link } from 'wouter';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { AppLink, useAppNames } from '../../ui/app-named.tsx';
import { AuditLink } from '../../ui/audit-link.tsx';
import { ConfirmEnd } from '../../ui/confirm-end.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import { canEnd, levelWords, sizeWords, stateMeaning, typesWords, wrongOf } from '../../words/exports.ts';
import type { Export } from '../../words/exports.ts';
import { ExportProgress } from './exports.tsx';

const LOOK_EVERY_MS = 2_000;

function Trouble({ of }: { readonly of: Export }) {
  const wrong = wrongOf(of);
  const { failed } = of.patients;
  return (
    <>
      {wrong === null ? null : (
        <div className={`note ${of.state === 'failed' ? 'bad' : 'warn'}`} role="status">
          <p>
            <strong>{wrong.what}</strong> <code>{of.error}</code>
          </p>
          <p>
            <WithCode text={wrong.advice} />
          </p>
        </div>
      )}
      {failed === 0 ? null : (
        <p className="note warn">
          {failed === 1 ? 'One patient' : `${failed.toLocaleString()} patients`} could not be read. The app finds why in
          the error file, and the audit has it.
        </p>
      )}
    </>
  );
}

function Group({ id }: { readonly id: string }) {
  const maySee = useMay('patients.read');
  return maySee ? <Link to={`/groups/${encodeURIComponent(id)}`}>{id}</Link> : <code>{id}</code>;
}

function Facts({ of }: { readonly of: Export }) {
  const { group, since, patients, resources, bytes, startedAt, endedAt, expiresAt, state, id } = of;
  return (
    <dl className="facts">
      <dt>State</dt>
      <dd>{stateMeaning(state)}</dd>
      <dt>Types</dt>
      <dd>{typesWords(of)}</dd>
      {group === null ? null : (
        <>
          <dt>Group</dt>
          <dd>
            <Group id={group} />
          </dd>
        </>
      )}
      <dt>Changed since</dt>
      <dd>{since === null ? 'any time' : <Time at={since} />}</dd>
      <dt>Patients</dt>
      <dd>
        {patients.done.toLocaleString()} of {patients.total.toLocaleString()} had their turn,{' '}
        {patients.failed.toLocaleString()} could not be read
      </dd>
      <dt>Resources</dt>
      <dd>{resources.toLocaleString()}</dd>
      <dt>Size of the files</dt>
      <dd>{sizeWords(bytes)}</dd>
      <dt>Started</dt>
      <dd>
        <Time at={startedAt} />
      </dd>
      {endedAt === null ? null : (
        <>
          <dt>Over since</dt>
          <dd>
            <Time at={endedAt} />
          </dd>
        </>
      )}
      {expiresAt === null ? null : (
        <>
          <dt>Files are destroyed</dt>
          <dd>
            <Time at={expiresAt} />
          </dd>
        </>
      )}
      <dt>Export</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  );
}

/** One bulk export, how far it is, and its end. */
export function OneExport({ id }: { readonly id: string }) {
  const mayEnd = useMay('apps.change');
  const [isOver, setOver] = useState(false);
  const found = useAsk('exports.get', { params: { id } }, isOver ? {} : { everyMs: LOOK_EVERY_MS });
  const names = useAppNames();
  const state = found.value?.state;
  if (!isOver && state !== undefined && state !== 'running') setOver(true);
  return (
    <Screen
      title="Bulk export"
      actions={
        <span className="row">
          <Link to="/exports">All exports</Link>
          <CopyAs id="exports.get" call={{ params: { id } }} command={`exports show ${id}`} />
        </span>
      }
    >
      <Shown of={found}>
        {(one) => (
          <section className="card" aria-labelledby="export">
            <div className="between">
              <h2 id="export">
                {levelWords(one)}, for <AppLink id={one.clientId} names={names} />
              </h2>
              <State is={one.state} />
            </div>
            <ExportProgress of={one} />
            <Trouble of={one} />
            <Facts of={one} />
            <div className="row">
              <ConfirmEnd
                isOffered={mayEnd && canEnd(one)}
                title="End this export?"
                run={(act) =>
                  act.run(ask('exports.end', { params: { id } }), () => 'It is ended, and its files are destroyed.')
                }
                onDone={found.again}
              >
                <p>
                  It is read no further, and its files are destroyed. What the app has fetched already stays with the
                  app. It can start another as long as it may: to keep it from that, disable the app.
                </p>
              </ConfirmEnd>
              <AuditLink of={{ request: one.requestId }} />
              <Link to={`/exports?app=${encodeURIComponent(one.clientId)}`}>All of this app</Link>
            </div>
          </section>
        )}
      </Shown>
    </Screen>
  );
}
