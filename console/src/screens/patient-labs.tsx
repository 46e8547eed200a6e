import { UploadIcon } from '@primer/octicons-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { ask, type ValueOf } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

type Asked = ValueOf<'patients.labs'>['requests'][number];
const TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
const isTaken = (type: string): type is (typeof TYPES)[number] => TYPES.some((one) => one === type);
const MB = 1_048_576;
const BYTES_MAX = 10 * MB;
const STEPS = ['Sent', 'Read by the service', 'In the chart'] as const;

/** How many of the steps are behind it. */
const stepOf = ({ deliveryId, deliveryState }: Asked): number => {
  if (deliveryState === 'delivered') return 3;
  return deliveryId === null ? 1 : 2;
};
/** Nothing more becomes of it by itself. */
const isAtRest = ({ deliveryState }: Asked): boolean =>
  ['delivered', 'superseded', 'duplicate', 'parked', 'quarantined', 'discarded'].includes(deliveryState ?? '');

function Steps({ of }: { readonly of: Asked }) {
  const done = stepOf(of);
  return (
    <ol className="steps" aria-label="How far it is">
      {STEPS.map((name, i) => (
        <li key={name} className={i < done ? 'done' : ''} aria-current={i === done ? 'step' : undefined}>
          {name}
          <span className="unseen">{i < done ? ': done' : ': not yet'}</span>
        </li>
      ))}
    </ol>
  );
}

function Requests({ caption, of }: { readonly caption: string; readonly of: readonly Asked[] }) {
  return (
    <ul className="things" aria-label={caption}>
      {of.map((one) => (
        <li key={one.id}>
          <div className="between">
            <Steps of={one} />
            {one.deliveryId === null ? (
              one.state === 'overdue' ? (
                <State is="overdue" reason="ask the service" />
              ) : null
            ) : (
              <Link to={`/deliveries/${one.deliveryId}`}>
                <State is={one.deliveryState ?? 'arrived'} />
              </Link>
            )}
          </div>
          <div className="small quiet">
            asked <Time at={one.askedAt} />
            {one.arrivedAt === null ? '' : ', arrived '}
            {one.arrivedAt === null ? null : <Time at={one.arrivedAt} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Asks again only while something is under way: each look is kept in the audit. */
const useRequests = (id: 'patients.labs' | 'patients.profiles', mrn: string) => {
  const [isWaiting, setWaiting] = useState(false);
  const asked = useAsk(id, { params: { mrn } }, isWaiting ? { everyMs: 5_000 } : {});
  const isNow = asked.value?.requests.some((one) => !isAtRest(one)) ?? false;
  if (isNow !== isWaiting && asked.value !== null) setWaiting(isNow);
  return asked;
};

/** The offset of the viewer's zone, as the source wants it: `+02:00`. */
function zoneOf(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

export function Labs({ mrn }: { readonly mrn: string }) {
  const labs = useRequests('patients.labs', mrn);
  const mayEnrol = useMay('patients.enrol');
  const act = useAct();
  const [isOver, setOver] = useState(false);
  const id = useId();
  const submit = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const { type } = file;
    const refused = (title: string) =>
      act.run(
        Promise.resolve({ kind: 'refused', refusal: { code: null, message: title, problem: { title } } } as const),
        () => '',
      );
    if (!isTaken(type))
      return void refused('Only PDF, JPEG and PNG are read. Scan or print the document as one of them.');
    if (file.size > BYTES_MAX) return void refused('The file has more than 10 MB. Scan it with fewer dots.');
    const content = new Uint8Array(await file.arrayBuffer());
    const asked = ask('patients.submitLab', {
      params: { mrn },
      query: { timezone: zoneOf(new Date()) },
      bytes: { type, content },
    });
    if (await act.run(asked, () => 'The service has it. How far it is shows below, until it is in the chart.'))
      labs.again();
  };
  return (
    <section className="card" aria-labelledby="labs">
      <div className="between">
        <h2 id="labs">Laboratory documents</h2>
        <CopyAs id="patients.labs" call={{ params: { mrn } }} />
      </div>
      {mayEnrol ? (
        <>
          <label
            htmlFor={id}
            className={isOver ? 'drop over' : 'drop'}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              void submit(event.dataTransfer.files.item(0));
            }}
          >
            <UploadIcon size={24} aria-hidden />
            <span>
              <strong>Choose a document, or drop it here</strong>
              <br />
              PDF, JPEG or PNG, up to 10 MB
            </span>
            <input
              id={id}
              type="file"
              accept={TYPES.join(',')}
              disabled={act.isBusy}
              onChange={({ target }) => {
                void submit(target.files?.item(0) ?? null);
              }}
            />
          </label>
          {act.isBusy ? <progress aria-label="The document is being sent" /> : null}
          <Outcome of={act} />
        </>
      ) : null}
      {labs.refusal?.code === 'enrol.not-found' ? (
        <p>None was submitted.</p>
      ) : (
        <Shown of={labs}>
          {({ requests }) =>
            requests.length === 0 ? (
              <p>None was submitted.</p>
            ) : (
              <Requests caption="Documents, newest first" of={requests} />
            )
          }
        </Shown>
      )}
    </section>
  );
}

export function Profiles({ mrn }: { readonly mrn: string }) {
  const profiles = useRequests('patients.profiles', mrn);
  const mayEnrol = useMay('patients.enrol');
  const act = useAct();
  const request = async (): Promise<void> => {
    const asked = ask('patients.requestProfile', { params: { mrn } });
    if (await act.run(asked, () => 'The service works on it.')) profiles.again();
  };
  if (profiles.refusal?.code === 'enrol.not-found') return null;
  return (
    <section className="card" aria-labelledby="profiles">
      <div className="between">
        <h2 id="profiles">Health profile</h2>
        <CopyAs id="patients.profiles" call={{ params: { mrn } }} />
      </div>
      {mayEnrol ? (
        <>
          <button type="button" disabled={act.isBusy} onClick={() => void request()}>
            Ask for a profile
          </button>
          <Outcome of={act} />
        </>
      ) : null}
      <Shown of={profiles}>
        {({ requests }) =>
          requests.length === 0 ? (
            <p>None was asked for.</p>
          ) : (
            <Requests caption="Profiles, newest first" of={requests} />
          )
        }
      </Shown>
    </section>
  );
}
