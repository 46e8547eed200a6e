import { useState } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Key = ValueOf<'settings.get'>['keys'][number];
type DataKeys = ValueOf<'keys.data'>;

/** Keys that seal or sign for longer than this are worth changing. */
const OLD_DAYS = 365;
const RESEALING_MS = 5_000;

const KIND: Readonly<Record<Key['kind'], readonly [name: string, mend: string]>> = {
  data: [
    'Data key, seals what is stored',
    'Put a new one first in CHARTGATE_DATA_KEY ("new,old") and restart; then retire the old one here.',
  ],
  audit: [
    'Audit key, signs checkpoints',
    'Start once with CHARTGATE_AUDIT_KEY="new,old"; then the new one alone is enough.',
  ],
  'id-token': ['Key of id tokens, signs for apps', 'Change it here: apps find the new one by themselves.'],
};

const COLUMNS: readonly Column<Key>[] = [
  {
    name: 'Key',
    show: ({ kind, id }) => (
      <>
        {KIND[kind][0]}
        <div className="small quiet">
          <code>{id}</code>
        </div>
      </>
    ),
  },
  {
    name: 'Use',
    show: ({ isInUse }) => (
      <span className={isInUse ? 'whole' : 'whole quiet'}>{isInUse ? 'in use' : 'older, still needed'}</span>
    ),
  },
  {
    name: 'Since',
    show: ({ since }) => (since === null ? <span className="quiet">not used yet</span> : <Time at={since} />),
  },
  {
    name: 'Age',
    show: ({ ageDays, isInUse }) =>
      ageDays === null ? null : (
        <span className={isInUse && ageDays > OLD_DAYS ? 'whole warn' : 'whole'}>
          {ageDays.toLocaleString()} {ageDays === 1 ? 'day' : 'days'}
          {isInUse && ageDays > OLD_DAYS ? ', change it' : ''}
        </span>
      ),
    isNumber: true,
  },
  { name: 'How to change it', show: ({ kind }) => <div className="prose small quiet">{KIND[kind][1]}</div> },
];

const STATE: Readonly<Record<DataKeys['state'], string>> = {
  none: 'No retirement was asked for.',
  waiting: 'Waiting: another process still seals by an older key. Restart it.',
  running: 'Everything that older keys sealed is being sealed anew.',
  stuck: 'Some values do not open, so that their key must stay. The log names them.',
  done: 'Done.',
};

function Resealing({ of }: { readonly of: DataKeys }) {
  const { state, older, last } = of;
  return (
    <>
      <p>
        {older.length === 0 ? 'No older data key is needed.' : `Older data keys that are needed: ${older.join(', ')}.`}{' '}
        {STATE[state]}
        {last?.left === undefined || last.left === null ? '' : ` ${last.left.toLocaleString()} values are left.`}
      </p>
      {state === 'running' && last !== undefined ? (
        <progress max={Math.max(1, last.rowsInAll)} value={last.rows} aria-label="Sealed anew" />
      ) : null}
    </>
  );
}

type Act = 'id-token' | 'data';
const WORDS: Readonly<Record<Act, { readonly title: string; readonly does: readonly string[]; readonly go: string }>> =
  {
    'id-token': {
      title: 'Change the key of id tokens?',
      does: [
        'A new key signs from now on, at every replica.',
        'The one before stays in the key set until the tokens that it signed have ended. Nobody is signed out.',
      ],
      go: 'Change the key',
    },
    data: {
      title: 'Retire older data keys?',
      does: [
        'Everything that they sealed is sealed anew by the first key, in the background.',
        'Deliveries go on meanwhile. Once nothing is left, the older keys can be taken out of CHARTGATE_DATA_KEY.',
      ],
      go: 'Retire them',
    },
  };

function Rotation({ onDone }: { readonly onDone: () => void }) {
  const act = useAct();
  const mayChange = useMay('keys.change');
  const [asked, setAsked] = useState<Act | null>(null);
  const data = useAsk('keys.data', undefined, { everyMs: RESEALING_MS });
  const onGo = async (what: Act): Promise<void> => {
    setAsked(null);
    const isDone =
      what === 'id-token'
        ? await act.run(ask('keys.rotateIdToken'), ({ kid }) => `The key ${kid} signs from now on.`)
        : await act.run(ask('keys.rotateData'), ({ state }) => STATE[state]);
    if (!isDone) return;
    data.again();
    onDone();
  };
  return (
    <>
      <Shown of={data}>{(value) => <Resealing of={value} />}</Shown>
      {mayChange ? (
        <p className="row">
          <button type="button" className="plain" disabled={act.isBusy} onClick={() => setAsked('id-token')}>
            Change the key of id tokens …
          </button>
          <button
            type="button"
            className="plain"
            disabled={act.isBusy || (data.value?.older.length ?? 0) === 0}
            onClick={() => setAsked('data')}
          >
            Retire older data keys …
          </button>
        </p>
      ) : null}
      <Outcome of={act} />
      <Recorded of={act} />
      {asked === null ? null : (
        <Dialog title={WORDS[asked].title} onClose={() => setAsked(null)}>
          <ul>
            {WORDS[asked].does.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <p className="row">
            <button type="button" onClick={() => void onGo(asked)}>
              {WORDS[asked].go}
            </button>
            <button type="button" className="plain" onClick={() => setAsked(null)}>
              Leave it as it is
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}

/** How old the keys are, and how each is changed. */
export function Keys({ of, onDone }: { readonly of: readonly Key[]; readonly onDone: () => void }) {
  const mayRead = useMay('keys.read');
  return (
    <section className="card" aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <Table
        caption="Keys of this gateway and how old they are"
        rows={of}
        columns={COLUMNS}
        keyOf={({ kind, id }) => `${kind} ${id}`}
      />
      {mayRead ? <Rotation onDone={onDone} /> : null}
    </section>
  );
}
