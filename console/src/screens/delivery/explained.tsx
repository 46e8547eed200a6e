import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { countOf, inWords } from '../../words/parts.ts';
import { reasonOf } from '../../words/reasons.ts';
import { Profiles } from './profiles.tsx';
import type { OneDelivery } from './delivery.tsx';

type Explanation = ValueOf<'deliveries.explain'>;
type Resource = Explanation['resources'][number];
type Decision = Explanation['decisions'][number];

const DECISION_COLUMNS: readonly Column<Decision>[] = [
  {
    name: 'The document says',
    show: ({ from, at }) => (
      <>
        {inWords(from)} <div className="small quiet">{at}</div>
      </>
    ),
  },
  { name: 'Written', show: ({ to }) => (to === null ? <span className="quiet">nothing</span> : inWords(to)) },
  { name: 'What', show: ({ what }) => what },
  {
    name: 'Decided by the row',
    show: ({ row, source }) =>
      row === null ? null : (
        <>
          <code>{row}</code>
          {source === null ? null : <div className="small quiet">{source}</div>}
        </>
      ),
  },
  { name: 'Reviewed by', show: ({ reviewer }) => reviewer },
];

type Json = Readonly<Record<string, unknown>>;
const partOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** What a resource is about, in the words that it has for it. */
function titleOf(resource: Json): string {
  const { text, coding } = partOf(resource['code'] ?? resource['type']);
  const [first] = Array.isArray(coding) ? coding.map(partOf) : [];
  return textOf(text) || textOf(first?.['display']) || textOf(first?.['code']) || textOf(resource['resourceType']);
}

function valueOf(resource: Json): string {
  const quantity = partOf(resource['valueQuantity']);
  const amount = [textOf(quantity['comparator']), textOf(quantity['value'])].join('');
  if (amount !== '') return `${amount} ${textOf(quantity['unit']) || textOf(quantity['code'])}`;
  return textOf(resource['valueString']) || textOf(partOf(resource['valueCodeableConcept'])['text']);
}

const RESOURCE_COLUMNS: readonly Column<Resource>[] = [
  { name: 'Change', show: ({ change }) => <State is={change} /> },
  {
    name: 'What',
    show: ({ resource, resourceType }) => (resource === null ? resourceType : titleOf(partOf(resource))),
  },
  { name: 'Value', show: ({ resource, chart }) => (resource === null ? chart?.['value'] : valueOf(partOf(resource))) },
  { name: 'Day', show: ({ chartDay }) => chartDay },
  { name: 'Part', show: ({ group }) => group },
  { name: 'Profiles', show: (resource) => <Profiles of={resource} /> },
  {
    name: 'As FHIR',
    show: ({ resource, resourceType }) =>
      resource === null ? (
        resourceType
      ) : (
        <details>
          <summary>{resourceType}</summary>
          <pre>{JSON.stringify(resource, null, 2)}</pre>
        </details>
      ),
  },
];

function Verdict({ of: { trouble, mappings, dialect, resources } }: { readonly of: Explanation }) {
  return (
    <p>
      {trouble === null
        ? `Nothing keeps it back: ${countOf(resources.length, 'resource', 'resources')}`
        : `Kept back: ${reasonOf('parked', trouble).title}`}
      , by mapping data <code>{mappings.slice(0, 12)}</code> and dialect <code>{dialect}</code> as they are now. Nothing
      was sent.
    </p>
  );
}

function Findings({ of: { findings, leftOut = [], issues, claimFindings } }: { readonly of: Explanation }) {
  if (findings.length + leftOut.length + issues.length + claimFindings.length === 0) return null;
  return (
    <>
      <h3>What was found</h3>
      <ul>
        {leftOut.map(({ at, why }) => (
          <li key={`left out ${at}`}>
            Left out as {why}: <code>{at}</code>
          </li>
        ))}
        {findings.map(({ code, at, what }) => (
          <li key={`${code} ${at}`}>
            <code>{code}</code> at <code>{at}</code> {what}
          </li>
        ))}
        {issues.map((issue) => (
          <li key={issue}>{issue}</li>
        ))}
        {claimFindings.map(({ rule, at, profile, text }) => (
          <li key={`${rule} ${at} ${profile ?? ''}`}>
            <code>{rule}</code> at <code>{at}</code>, which the source claims to meet: {text}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the document says beside what is written of it, and the row of the mapping data that decided. */
export function Explained({ of: { id, hasBody } }: { readonly of: OneDelivery }) {
  const found = useAsk('deliveries.explain', { params: { id } }, { isWanted: hasBody });
  return (
    <section className="card" aria-labelledby="explain">
      <div className="between">
        <h2 id="explain">What the document says, and what is written of it</h2>
        <CopyAs id="deliveries.explain" call={{ params: { id } }} command={`explain ${id}`} />
      </div>
      {hasBody ? (
        <Shown of={found}>
          {(explained) => (
            <>
              <Verdict of={explained} />
              <Table
                caption="Row by row: the document, what is written, and what decided it"
                rows={explained.decisions}
                columns={DECISION_COLUMNS}
                keyOf={({ at, what }) => `${at} ${what}`}
              />
              <Table
                caption="The resources that come of it"
                rows={explained.resources}
                columns={RESOURCE_COLUMNS}
                keyOf={({ name }) => name}
              />
              <Findings of={explained} />
            </>
          )}
        </Shown>
      ) : (
        <p>The bytes are gone by retention, so nothing can be explained any more.</p>
      )}
    </section>
  );
}
