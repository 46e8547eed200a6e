import type { ValueOf } from '../../api/ask.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { Profiles } from '../delivery/profiles.tsx';

type Answer = ValueOf<'mappings.try'>;

const RESOURCES: readonly Column<Answer['resources'][number]>[] = [
  { name: 'Resource', show: ({ resourceType }) => resourceType },
  { name: 'Group', show: ({ group }) => group },
  { name: 'Day', show: ({ chartDay }) => chartDay },
  { name: 'Change', show: ({ change }) => change },
  { name: 'Profiles', show: (resource) => <Profiles of={resource} /> },
  {
    name: 'As it would be written',
    show: ({ resource }) =>
      resource === null ? (
        'nothing'
      ) : (
        <details>
          <summary>Show</summary>
          <pre className="payload">{JSON.stringify(resource, null, 2)}</pre>
        </details>
      ),
  },
];

const DECISIONS: readonly Column<Answer['decisions'][number]>[] = [
  { name: 'Where', show: ({ at }) => <code>{at}</code> },
  { name: 'What', show: ({ what }) => what },
  { name: 'The document says', show: ({ from }) => from },
  { name: 'Written', show: ({ to }) => to ?? <span className="warn">nothing</span> },
  { name: 'By the row', show: ({ row }) => (row === null ? '' : <code>{row}</code>) },
  { name: 'Source', show: ({ source }) => <span className="small">{source}</span> },
  { name: 'Reviewer', show: ({ reviewer }) => reviewer },
];

const LEFT_OUT: readonly Column<NonNullable<Answer['leftOut']>[number]>[] = [
  { name: 'Where', show: ({ at }) => <code>{at}</code> },
  { name: 'Why', show: ({ why }) => why },
  { name: 'Group', show: ({ group }) => group },
  { name: 'Day', show: ({ chartDay }) => chartDay },
];

/** What would be written of a payload, and which row of the mapping data decided each part. */
export function Tried({ of: { resources, decisions, findings, issues, leftOut = [] } }: { readonly of: Answer }) {
  return (
    <>
      {issues.length === 0 ? null : (
        <>
          <h3>Not valid R4</h3>
          <ul>
            {issues.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {resources.length === 0 ? (
        <p>Nothing would be written.</p>
      ) : (
        <Table caption="What would be written" rows={resources} columns={RESOURCES} keyOf={({ name }) => name} />
      )}
      {leftOut.length === 0 ? null : (
        <Table
          caption="What would wait while the rest is written"
          rows={leftOut}
          columns={LEFT_OUT}
          keyOf={({ at, name }) => `${at} ${name}`}
        />
      )}
      {decisions.length === 0 ? null : (
        <Table
          caption="Which row decided it"
          rows={decisions}
          columns={DECISIONS}
          keyOf={({ at, what, from }) => `${at} ${what} ${from}`}
        />
      )}
      {findings.length === 0 ? null : (
        <>
          <h3>Findings</h3>
          <ul>
            {findings.map(({ code, at, what }) => (
              <li key={`${code} ${at}`}>
                <code>{code}</code> at <code>{at}</code> {what}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
