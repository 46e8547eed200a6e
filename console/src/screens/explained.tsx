import { useState } from 'react';
import type { ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { Shown } from '../ui/screen.tsx';
import { Table, type Column } from '../ui/table.tsx';

type Explanation = ValueOf<'deliveries.explain'>;
const DECISION_COLUMNS: readonly Column<Explanation['decisions'][number]>[] = [
  { name: 'Where', show: ({ at }) => <code>{at}</code> },
  { name: 'What', show: ({ what }) => what },
  { name: 'The document says', show: ({ from }) => from },
  { name: 'Written', show: ({ to }) => to ?? 'nothing' },
  { name: 'By the row', show: ({ row }) => (row === null ? '' : <code>{row}</code>) },
  { name: 'Reviewed by', show: ({ reviewer }) => reviewer },
];
const RESOURCE_COLUMNS: readonly Column<Explanation['resources'][number]>[] = [
  { name: 'Change', show: ({ change }) => change },
  { name: 'Resource', show: ({ resourceType }) => resourceType },
  { name: 'Group', show: ({ group }) => group },
  { name: 'Day', show: ({ chartDay }) => chartDay },
  {
    name: 'Written',
    show: ({ resource }) =>
      resource === null ? (
        'nothing'
      ) : (
        <details>
          <summary>Show</summary>
          <pre>{JSON.stringify(resource, null, 2)}</pre>
        </details>
      ),
  },
];

function Explained({ id }: { readonly id: string }) {
  const found = useAsk('deliveries.explain', { params: { id } });
  return (
    <Shown of={found}>
      {({ mappings, dialect, resources, decisions, findings }) => (
        <>
          <p>
            By mapping data {mappings} and dialect {dialect}; nothing was sent.
          </p>
          <Table
            caption="What would be written"
            rows={resources}
            columns={RESOURCE_COLUMNS}
            keyOf={({ name }) => name}
          />
          <Table
            caption="What decided it"
            rows={decisions}
            columns={DECISION_COLUMNS}
            keyOf={({ at, what }) => `${at} ${what}`}
          />
          {findings.length === 0 ? null : (
            <ul>
              {findings.map(({ code, at, what }) => (
                <li key={`${code} ${at}`}>
                  <code>{code}</code> at <code>{at}</code> {what}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Shown>
  );
}

/** What the document says beside what is written of it, asked for when somebody wants to see it. */
export function Explain({ id }: { readonly id: string }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <section className="card" aria-labelledby="explain">
      <h2 id="explain">What is written of it, and why</h2>
      {isWanted ? (
        <Explained id={id} />
      ) : (
        <button type="button" className="plain" onClick={() => setWanted(true)}>
          Explain
        </button>
      )}
    </section>
  );
}
