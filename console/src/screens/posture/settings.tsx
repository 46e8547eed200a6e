import type { ValueOf } from '../../api/ask.ts';
import { useQuery } from '../../api/use-query.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { WithCode } from '../../ui/with-code.tsx';

type Setting = ValueOf<'settings.get'>['settings'][number];

const FROM: Readonly<Record<Setting['from'], string>> = {
  environment: 'the environment',
  file: 'the file of settings',
  default: 'the default',
  none: 'not set',
};

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    show: ({ key, about }) => (
      <div className="prose">
        <code>{key}</code>
        <div className="small quiet">
          <WithCode text={about} />
        </div>
      </div>
    ),
  },
  {
    name: 'Value',
    show: ({ value, isSecret }) =>
      value === null ? <span className="quiet">not set</span> : isSecret ? `${value} (secret)` : <code>{value}</code>,
  },
  { name: 'From', show: ({ from }) => <span className="whole">{FROM[from]}</span> },
];

/** What is in force; what is not set on demand. */
export function AllSettings({ of }: { readonly of: readonly Setting[] }) {
  const [{ all }, change] = useQuery();
  const shown = all === 'yes' ? of : of.filter(({ from }) => from === 'environment' || from === 'file');
  return (
    <section className="card" aria-labelledby="settings">
      <div className="between">
        <h2 id="settings">Settings</h2>
        <button
          type="button"
          className="plain"
          aria-pressed={all === 'yes'}
          onClick={() => change({ all: all === 'yes' ? undefined : 'yes' })}
        >
          Defaults and what is not set, too
        </button>
      </div>
      <Table
        caption={`${shown.length} of ${of.length}; nothing of a secret is shown`}
        rows={shown}
        columns={COLUMNS}
        keyOf={({ key }) => key}
      />
    </section>
  );
}
