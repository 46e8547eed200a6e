import { useState } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, Recorded, useAct } from '../../ui/act.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failed, NotedList, Went } from '../../ui/noted.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { countOf } from '../../words/parts.ts';

type Checked = ValueOf<'mappings.check'>;
type Load = ValueOf<'mappings.loads'>['loads'][number];

const PROBLEM_COLUMNS: readonly Column<Checked['problems'][number]>[] = [
  { name: 'File', show: ({ file }) => <code>{file}</code> },
  { name: 'Line', show: ({ line }) => line ?? '', isNumber: true },
  { name: 'Row', show: ({ row }) => (row === null ? '' : <code>{row}</code>) },
  { name: 'Problem', show: ({ text }) => <div className="prose">{text}</div> },
];

const LOAD_COLUMNS: readonly Column<Load>[] = [
  {
    name: 'Outcome',
    show: ({ outcome, digest, problems }) =>
      outcome === 'ok' ? (
        <Went>
          in force <code>{digest?.slice(0, 12)}</code>
        </Went>
      ) : (
        <details>
          <summary>
            <Failed>refused: {countOf(problems.length, 'problem', 'problems')}</Failed>
          </summary>
          <ul className="changes">
            {problems.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </details>
      ),
  },
  { name: 'Rows', show: ({ rows, outcome }) => (outcome === 'ok' ? rows.toLocaleString() : ''), isNumber: true },
];

function History() {
  const [{ cursor }, change] = useQuery();
  const query = { cursor, limit: 20 };
  const found = useAsk('mappings.loads', { query });
  return (
    <section className="card" aria-labelledby="loads">
      <div className="between">
        <h2 id="loads">History of loads</h2>
        <CopyAs id="mappings.loads" call={{ query }} command="mappings loads" />
      </div>
      <Shown of={found}>
        {({ loads, next }) => (
          <NotedList
            caption="Loads, newest first; the same again is one"
            none="Nothing was loaded yet."
            rows={loads}
            columns={LOAD_COLUMNS}
            cursor={cursor}
            next={next}
            onGo={(to) => change({ cursor: to })}
          />
        )}
      </Shown>
    </section>
  );
}

/** The files as they are now: checked first, and loaded only where they are sound. */
function Files({ onLoaded }: { readonly onLoaded: () => void }) {
  const act = useAct();
  const mayChange = useMay('mappings.change');
  const [checked, setChecked] = useState<Checked | null>(null);
  const [isAsking, setAsking] = useState(false);
  const onCheck = async (): Promise<void> => {
    const asked = ask('mappings.check');
    await act.run(asked, ({ isSound, problems }) =>
      isSound ? 'The files are sound.' : `${problems.length} problems: the files would be refused.`,
    );
    const reply = await asked;
    setChecked(reply.kind === 'done' ? reply.value : null);
  };
  const onLoad = async (): Promise<void> => {
    setAsking(false);
    await act.run(ask('mappings.reload'), ({ version, changed, templates }) =>
      changed === 'same'
        ? `Nothing has changed: version ${version}.`
        : `Version ${version} is in force, with ${templates} templates. What was left out is sent again.`,
    );
    onLoaded();
  };
  return (
    <section className="card" aria-labelledby="files">
      <div className="between">
        <h2 id="files">Files of mapping data and templates</h2>
        <CopyAs id="mappings.check" command="mappings check" />
      </div>
      <p>Check the files as they are now. Only sound files are loaded; what is in force stays until then.</p>
      <p className="row">
        <button type="button" disabled={act.isBusy} onClick={() => void onCheck()}>
          Check the files
        </button>
        {mayChange ? (
          <button
            type="button"
            className="plain"
            disabled={act.isBusy || checked?.isSound !== true}
            onClick={() => setAsking(true)}
          >
            Load them …
          </button>
        ) : null}
      </p>
      <Outcome of={act} />
      <Recorded of={act} />
      {checked === null || checked.isSound ? null : (
        <Table
          caption="Every problem by file and line"
          rows={checked.problems}
          columns={PROBLEM_COLUMNS}
          keyOf={({ file, line, row, text }) => `${file} ${line ?? ''} ${row ?? ''} ${text}`}
        />
      )}
      {isAsking ? (
        <Dialog title="Load the files?" onClose={() => setAsking(false)}>
          <ul>
            <li>From now on deliveries are translated by them. What was written before stays as it is.</li>
            <li>What waits for a mapping that is there now is judged again by itself.</li>
            <li>They are checked once more; if they are not sound, nothing changes.</li>
          </ul>
          <p className="row">
            <button type="button" onClick={() => void onLoad()}>
              Load
            </button>
            <button type="button" className="plain" onClick={() => setAsking(false)}>
              Not now
            </button>
          </p>
        </Dialog>
      ) : null}
    </section>
  );
}

export function Loads() {
  const [turn, setTurn] = useState(0);
  return (
    <>
      <Files onLoaded={() => setTurn((n) => n + 1)} />
      <History key={turn} />
    </>
  );
}
