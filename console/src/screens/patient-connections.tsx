import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import type { Asked } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { AuditLink } from '../ui/audit-link.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Known = ValueOf<'patients.connections'>;
type Connection = Known['connections'][number];
const STATE_WORDS: Readonly<Record<Connection['state'], string>> = {
  asked: 'waits for the patient',
  connected: 'sends data',
  ended: 'ended at the source',
  revoked: 'was disconnected here',
};
const COLUMNS: readonly Column<Connection>[] = [
  { name: 'Data source', show: ({ dataSource }) => dataSource },
  { name: 'State', show: ({ state }) => <State is={state} reason={STATE_WORDS[state]} /> },
  { name: 'Changed', show: ({ changedAt }) => <Time at={changedAt} /> },
  {
    name: 'Last failure',
    show: ({ failure }) =>
      failure === null ? (
        <span className="quiet">none</span>
      ) : (
        <>
          {failure.action}: {failure.message}, <Time at={failure.at} />
        </>
      ),
  },
];

/** Where the patient says yes to a data source. */
function Connect({ mrn, onDone }: { readonly mrn: string; readonly onDone: () => void }) {
  const act = useAct();
  const [made, setMade] = useState<ValueOf<'patients.connect'> | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setMade(null);
    const { source } = textsOf(event.currentTarget, 'source');
    const asked = ask('patients.connect', { params: { mrn, data_source: source }, body: {} });
    const isDone = await act.run(asked, (value) => {
      setMade(value);
      return value.authorized ? 'It is authorised already.' : 'The patient authorises it at this address:';
    });
    if (isDone) onDone();
  };
  const url = made?.authorizationUrl ?? null;
  return (
    <form aria-label="Connect a data source" onSubmit={(event) => void onSubmit(event)}>
      <div className="row">
        <Field
          label="Data source"
          hint="As the health data service names it"
          name="source"
          required
          pattern="[A-Za-z0-9_\-]{1,64}"
        />
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
            <AuditLink query={{ patient: mrn, type: 'admin' }}>Its record in the audit</AuditLink>
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
          <div className="row">
            <button type="submit" className="danger" disabled={act.isBusy}>
              Disconnect
            </button>
            <button type="button" className="plain" onClick={onClose}>
              Cancel
            </button>
          </div>
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
  const isNew = known.refusal?.code === 'enrol.not-found';
  return (
    <section className="card" aria-labelledby="connections">
      <div className="between">
        <h2 id="connections">Connections</h2>
        <CopyAs id="patients.connections" call={{ params: { mrn } }} />
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
                <Table
                  caption="At the health data service"
                  rows={value.connections}
                  columns={COLUMNS}
                  keyOf={({ dataSource }) => dataSource}
                />
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
          <Connect mrn={mrn} onDone={known.again} />
          {isNew || known.value === null ? null : (
            <button type="button" className="danger" onClick={() => setLeaving(true)}>
              Disconnect from all …
            </button>
          )}
        </>
      ) : null}
    </section>
  );
}
