import { useState, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Connection = ValueOf<'patients.connections'>['connections'][number];
const CONNECTION_COLUMNS: readonly Column<Connection>[] = [
  { name: 'Data source', show: ({ dataSource }) => dataSource },
  { name: 'State', show: ({ state }) => <State is={state} /> },
  { name: 'Asked', show: ({ askedAt }) => <Time at={askedAt} /> },
  { name: 'Changed', show: ({ changedAt }) => <Time at={changedAt} /> },
  { name: 'Last failure', show: ({ failure }) => failure?.message },
];
type Lab = ValueOf<'patients.labs'>['requests'][number];
const LAB_COLUMNS: readonly Column<Lab>[] = [
  { name: 'Submitted', show: ({ askedAt }) => <Time at={askedAt} /> },
  { name: 'State', show: ({ state }) => state },
  { name: 'Arrived', show: ({ arrivedAt }) => (arrivedAt === null ? 'not yet' : <Time at={arrivedAt} />) },
  { name: 'Delivery', show: ({ deliveryState }) => (deliveryState === null ? '' : <State is={deliveryState} />) },
];
const LAB_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
const isLabType = (type: string): type is (typeof LAB_TYPES)[number] => LAB_TYPES.some((one) => one === type);

/** The offset of the viewer's zone, as the source wants it: `+02:00`. */
function zoneOf(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

function Connect({ mrn, onDone }: { readonly mrn: string; readonly onDone: () => void }) {
  const act = useAct();
  const [url, setUrl] = useState<string | null>(null);
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { source } = textsOf(event.currentTarget, 'source');
    const isDone = await act.run(
      ask('patients.connect', { params: { mrn, data_source: source }, body: {} }),
      ({ authorizationUrl, authorized, warning }) => {
        setUrl(authorizationUrl);
        return (authorized ? 'It is authorised already.' : 'The patient authorises it at the address below.').concat(
          warning === null ? '' : ` ${warning}`,
        );
      },
    );
    if (isDone) onDone();
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <div className="row">
        <Field label="Data source" name="source" required pattern="[A-Za-z0-9_\-]{1,64}" />
        <button type="submit" disabled={act.isBusy}>
          Connect
        </button>
      </div>
      <Outcome of={act} />
      {url === null ? null : (
        <p>
          <code>{url}</code>
        </p>
      )}
    </form>
  );
}

function PhoneCode({ mrn }: { readonly mrn: string }) {
  const act = useAct();
  const [bound, setBound] = useState<ValueOf<'patients.bind'> | null>(null);
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { clinic } = textsOf(event.currentTarget, 'clinic');
    void act.run(ask('patients.bind', { params: { mrn }, body: { client_name: clinic } }), (value) => {
      setBound(value);
      return 'The patient opens the app with the picture and types the salt. It is shown this once.';
    });
  };
  return (
    <form className="card" aria-labelledby="phone" onSubmit={onSubmit}>
      <h2 id="phone">Bind the app on the patient’s phone</h2>
      <div className="row">
        <Field label="Name of the clinic, as the app shows it" name="clinic" required maxLength={200} />
        <button type="submit" disabled={act.isBusy}>
          Make a code
        </button>
      </div>
      <Outcome of={act} />
      {bound === null ? null : (
        <>
          <img src={bound.qrCode} alt="Picture of the address that binds the app" width={220} height={220} />
          <p>
            Salt <strong>{bound.salt}</strong>
          </p>
        </>
      )}
    </form>
  );
}

function Labs({ mrn }: { readonly mrn: string }) {
  const labs = useAsk('patients.labs', { params: { mrn } }, { everyMs: 5_000 });
  const mayEnrol = useMay('patients.enrol');
  const act = useAct();
  const submit = async (file: File | null): Promise<void> => {
    if (file === null || !isLabType(file.type)) return;
    const content = new Uint8Array(await file.arrayBuffer());
    const timezone = zoneOf(new Date());
    const asked = ask('patients.submitLab', {
      params: { mrn },
      query: { timezone },
      bytes: { type: file.type, content },
    });
    if (await act.run(asked, () => 'The service has it. It shows below when it has arrived.')) labs.again();
  };
  return (
    <section
      className="card"
      aria-labelledby="labs"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (mayEnrol) void submit(event.dataTransfer.files.item(0));
      }}
    >
      <h2 id="labs">Laboratory documents</h2>
      {mayEnrol ? (
        <>
          <Field
            label="PDF, JPEG or PNG: choose it here, or drop it on this card"
            type="file"
            accept={LAB_TYPES.join(',')}
            disabled={act.isBusy}
            onChange={({ target }) => void submit(target.files?.item(0) ?? null)}
          />
          <Outcome of={act} />
        </>
      ) : null}
      <Shown of={labs}>
        {({ requests }) =>
          requests.length === 0 ? (
            <p>None was submitted.</p>
          ) : (
            <Table caption="Newest first" rows={requests} columns={LAB_COLUMNS} keyOf={({ id }) => id} />
          )
        }
      </Shown>
    </section>
  );
}

function OnePatient({ mrn }: { readonly mrn: string }) {
  const connections = useAsk('patients.connections', { params: { mrn } });
  const mayEnrol = useMay('patients.enrol');
  return (
    <>
      <section className="card" aria-labelledby="connections">
        <h2 id="connections">Connections</h2>
        <Shown of={connections}>
          {({ connections: all }) =>
            all.length === 0 ? (
              <p>No data source is connected.</p>
            ) : (
              <Table
                caption="At the health data service"
                rows={all}
                columns={CONNECTION_COLUMNS}
                keyOf={({ dataSource }) => dataSource}
              />
            )
          }
        </Shown>
        {mayEnrol ? <Connect mrn={mrn} onDone={connections.again} /> : null}
      </section>
      {mayEnrol ? <PhoneCode mrn={mrn} /> : null}
      <Labs mrn={mrn} />
    </>
  );
}

/** Who it is stays in this page: neither its address nor its title names a patient. */
export function Patient() {
  const [mrn, setMrn] = useState<string | null>(null);
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setMrn(textsOf(event.currentTarget, 'mrn').mrn);
  };
  return (
    <Screen title="Patient">
      <form className="card row" aria-label="Which patient" onSubmit={onSubmit}>
        <Field label="Medical record number" name="mrn" required maxLength={64} />
        <button type="submit">Show</button>
      </form>
      {mrn === null ? <p>Every look at a patient is kept in the audit.</p> : <OnePatient key={mrn} mrn={mrn} />}
    </Screen>
  );
}
