import { useState, type SyntheticEvent } from 'react';
import { ask, type Refusal, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import type { Asked } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { AuditLink } from '../ui/audit-link.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogButtons } from '../ui/dialog-buttons.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

type Known = ValueOf<'patients.connections'>;
type Connection = Known['connections'][number];
const STATE_WORDS: Readonly<Record<Connection['state'], string>> = {
  asked: 'waits for the patient',
  connected: 'sends data',
  ended: 'ended at the source',
  revoked: 'was disconnected here',
};

function OneConnection({
  of: { dataSource, state, changedAt, failure },
  onLink,
  onLook,
}: {
  readonly of: Connection;
  /** Absent where the reader may not connect anybody. */
  readonly onLink: ((source: string) => void) | null;
  readonly onLook: (source: string) => void;
}) {
  return (
    <li>
      <div className="between">
        <strong>{dataSource}</strong>
        <State is={state} reason={STATE_WORDS[state]} />
      </div>
      <div className="between small quiet">
        <span>
          since <Time at={changedAt} />
        </span>
        <span className="row copy">
          {onLink === null || state === 'connected' ? null : (
            <button type="button" className="plain" onClick={() => onLink(dataSource)}>
              Authorization link
            </button>
          )}
          <button type="button" className="plain" onClick={() => onLook(dataSource)}>
            Ask the service
          </button>
        </span>
      </div>
      {failure === null ? null : (
        <div className="small warn">
          Last failure: {failure.action}, {failure.message}, <Time at={failure.at} />
        </div>
      )}
    </li>
  );
}

/** What the service takes, where it refused the name of a data source. */
const hintOf = ({ problem }: Refusal): string =>
  problem.code === 'source.data-source' && problem.problems !== undefined
    ? ` It has these: ${problem.problems.join(', ')}.`
    : '';

/** Asks for a connection, or what the service knows of one; the address at which the patient says yes. */
function useConnect(mrn: string, again: () => void) {
  const act = useAct();
  const [made, setMade] = useState<ValueOf<'patients.connect'> | null>(null);
  const connect = async (source: string): Promise<void> => {
    setMade(null);
    const reply = await ask('patients.connect', { params: { mrn, data_source: source }, body: {} });
    if (reply.kind === 'done') setMade(reply.value);
    const told =
      reply.kind === 'done'
        ? reply
        : { ...reply, refusal: { ...reply.refusal, message: reply.refusal.message + hintOf(reply.refusal) } };
    const isDone = await act.run(Promise.resolve(told), ({ authorized }) =>
      authorized ? 'It is authorised already.' : 'The patient authorises it at this address:',
    );
    if (isDone) again();
  };
  const look = async (source: string): Promise<void> => {
    setMade(null);
    const asked = ask('patients.connection', { params: { mrn, data_source: source } });
    const isDone = await act.run(asked, ({ authorized }) =>
      authorized ? `${source} is authorised, the service says.` : `${source} is not authorised, the service says.`,
    );
    if (isDone) again();
  };
  return { act, made, connect, look };
}

function Connect({
  by: { act, made, connect },
}: {
  readonly by: Pick<ReturnType<typeof useConnect>, 'act' | 'made' | 'connect'>;
}) {
  const url = made?.authorizationUrl ?? null;
  return (
    <form
      aria-label="Connect a data source"
      onSubmit={(event) => {
        event.preventDefault();
        void connect(textsOf(event.currentTarget, 'source').source);
      }}
    >
      <div className="row">
        <Field label="Data source, as the service names it" name="source" required pattern="[A-Za-z0-9_\-]{1,64}" />
        <button type="submit" disabled={act.isBusy}>
          Connect
        </button>
      </div>
      <Outcome of={act} />
      {url === null ? null : (
        <div className="note">
          <p>
            <code>{url}</code>
          </p>
          {made?.warning === null || made?.warning === undefined ? null : <p>{made.warning}</p>}
          <button type="button" className="plain" onClick={() => void navigator.clipboard.writeText(url)}>
            Copy the address
          </button>
        </div>
      )}
    </form>
  );
}

function Disconnect({
  mrn,
  known,
  onClose,
  onDone,
}: {
  readonly mrn: string;
  readonly known: Known;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const act = useAct();
  const isDone = act.said?.isGood === true;
  const live = known.connections.filter(({ state }) => state === 'connected' || state === 'asked');
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason } = textsOf(event.currentTarget, 'reason');
    const done = ask('patients.revoke', { params: { mrn }, reason });
    const said = ({ retracting }: ValueOf<'patients.revoke'>): string =>
      retracting === undefined
        ? 'Disconnected. The link stays; what still arrives is taken and marked as late.'
        : `Disconnected and unlinked; ${retracting} documents leave the chart.`;
    if (await act.run(done, said)) onDone();
  };
  return (
    <Dialog title="Disconnect from all data sources" onClose={onClose}>
      {isDone ? (
        <>
          <Outcome of={act} />
          <div className="row">
            <button type="button" onClick={onClose} autoFocus>
              Close
            </button>
            <AuditLink of={{ patient: mrn, type: 'admin' }}>Its record in the audit</AuditLink>
          </div>
        </>
      ) : (
        <form onSubmit={(event) => void onSubmit(event)}>
          <p>
            {live.length === 0
              ? 'No data source is connected now; the service is told all the same.'
              : `These end: ${live.map(({ dataSource }) => dataSource).join(', ')}. The patient must authorise them anew to come back.`}
          </p>
          <Field
            label="Reason"
            hint="3 to 200 letters and digits, with nothing of the patient in it"
            name="reason"
            required
            minLength={3}
            maxLength={200}
          />
          <Outcome of={act} />
          <DialogButtons does="Disconnect" isBusy={act.isBusy} isDanger closes="Cancel" onClose={onClose} />
        </form>
      )}
    </Dialog>
  );
}

/** The picture that binds the app of the patient's phone. */
export function PhoneCode({ mrn }: { readonly mrn: string }) {
  const act = useAct();
  const [bound, setBound] = useState<ValueOf<'patients.bind'> | null>(null);
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { clinic } = textsOf(event.currentTarget, 'clinic');
    void act.run(ask('patients.bind', { params: { mrn }, body: { client_name: clinic } }), (value) => {
      setBound(value);
      return 'The patient opens the app with the picture and types the salt.';
    });
  };
  return (
    <form className="card" aria-labelledby="phone" onSubmit={onSubmit}>
      <h2 id="phone">The patient’s phone</h2>
      <div className="row">
        <Field label="Name of the clinic, as the app shows it" name="clinic" required maxLength={200} />
        <button type="submit" disabled={act.isBusy}>
          Make a code
        </button>
      </div>
      <Outcome of={act} />
      {bound === null ? null : (
        <div className="code">
          <img src={bound.qrCode} alt="Picture of the address that binds the app" width={220} height={220} />
          <div>
            <p className="small quiet">Salt, shown this once</p>
            <p className="salt">{bound.salt}</p>
            <button type="button" className="plain" onClick={() => setBound(null)}>
              Hide
            </button>
          </div>
        </div>
      )}
    </form>
  );
}

export function Connections({ mrn, known }: { readonly mrn: string; readonly known: Asked<Known> }) {
  const mayEnrol = useMay('patients.enrol');
  const [isLeaving, setLeaving] = useState(false);
  const by = useConnect(mrn, known.again);
  const isNew = known.refusal?.code === 'enrol.not-found';
  return (
    <section className="card" aria-labelledby="connections">
      <div className="between">
        <h2 id="connections">Connections</h2>
        <CopyAs id="patients.connections" call={{ params: { mrn } }} command={`connections '${mrn}'`} />
      </div>
      {isNew ? (
        <p>
          This patient is not enrolled.{' '}
          {mayEnrol
            ? 'The first data source that you connect enrols them: they get a user of the source and a link.'
            : ''}
        </p>
      ) : (
        <Shown of={known}>
          {(value) => (
            <>
              {value.connections.length === 0 ? (
                <p>No data source is connected.</p>
              ) : (
                <ul className="things" aria-label="At the health data service">
                  {value.connections.map((one) => (
                    <OneConnection
                      key={one.dataSource}
                      of={one}
                      onLink={mayEnrol ? (source) => void by.connect(source) : null}
                      onLook={(source) => void by.look(source)}
                    />
                  ))}
                </ul>
              )}
              {value.lateDeliveries === 0 ? null : (
                <p className="note warn">{value.lateDeliveries} deliveries came after the patient was disconnected.</p>
              )}
              {isLeaving ? (
                <Disconnect mrn={mrn} known={value} onClose={() => setLeaving(false)} onDone={known.again} />
              ) : null}
            </>
          )}
        </Shown>
      )}
      {mayEnrol ? (
        <>
          <h3>Connect</h3>
          <Connect by={by} />
          {isNew || known.value === null ? null : (
            <button type="button" className="plain risky" onClick={() => setLeaving(true)}>
              Disconnect from all …
            </button>
          )}
        </>
      ) : (
        <Outcome of={by.act} />
      )}
    </section>
  );
}
