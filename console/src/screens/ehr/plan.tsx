import type { ValueOf } from '../../api/ask.ts';
import { Table, type Column } from '../../ui/table.tsx';

type Target = ValueOf<'targets.list'>['targets'][number];

interface Reason {
  readonly of: string;
  readonly chosen: string;
  readonly because: string;
}
/** The part of the plan that is told in words. */
interface Plan {
  readonly bundle?: string;
  readonly references?: string;
  readonly entriesMax?: number;
  readonly answer?: string;
  readonly update?: string;
  readonly types?: Readonly<Record<string, { readonly change?: string; readonly ifMatch?: string }>>;
  readonly reasons?: readonly Reason[];
}

const SUBJECTS: Readonly<Record<string, string>> = {
  bundle: 'Deliveries',
  provenance: 'Provenance',
  createPatient: 'Patients who are not there',
  patientCheck: 'Whether it is still the same patient',
};
const HOW: Readonly<Record<string, string>> = {
  'bundle transaction': 'written in one transaction each: all of it or nothing',
  'bundle batch': 'written in one batch each: a part may be taken and another refused',
  'bundle none': 'written resource by resource',
  'provenance yes': 'written with every delivery',
  'provenance no': 'not written',
  'createPatient conditional': 'can be created by condition, so that nobody is there twice',
  'createPatient no': 'are not created',
  'patientCheck in-transaction': 'is seen in the transaction that writes',
  'patientCheck look-up': 'is looked up before a write',
  'put-by-id': 'written under an id of ours: a repetition changes nothing',
  'conditional-update': 'written by condition: the EHR finds the one that is there',
  'search-then-write': 'searched for first, then written',
  'ledger-only': 'written once; if an answer is lost, a person must look',
  'not-written': 'not written',
};

interface Choice {
  readonly what: string;
  readonly how: string;
  readonly because: string;
}

/** Types of which the same was chosen for the same reason are one row. */
function choicesOf({ reasons = [] }: Plan): readonly Choice[] {
  const rows = new Map<string, { types: string[]; how: string; because: string }>();
  for (const { of, chosen, because } of reasons) {
    const [type = of, part] = of.split('.');
    const key = part === undefined ? of : `${chosen} ${because}`;
    const how = HOW[part === undefined ? `${of} ${chosen}` : chosen] ?? chosen;
    const row = rows.get(key) ?? { types: [], how, because };
    row.types.push(SUBJECTS[type] ?? type);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ types, how, because }) => ({ what: types.join(', '), how, because }));
}

const COLUMNS: readonly Column<Choice>[] = [
  { name: 'What', show: ({ what }) => <div className="prose">{what}</div> },
  { name: 'How', show: ({ how }) => <div className="prose">{how}</div> },
  { name: 'Because', show: ({ because }) => <div className="prose quiet">{because}</div> },
];

/** What else follows, as sentences. */
function sentencesOf({ references, entriesMax, answer, update, types = {} }: Plan): readonly string[] {
  const fixed = Object.entries(types).filter(([, { change }]) => change === 'none');
  const guarded = Object.values(types).filter(({ ifMatch }) => ifMatch !== undefined && ifMatch !== 'none');
  return [
    ...(entriesMax === undefined ? [] : [`At most ${entriesMax.toLocaleString()} entries go into one request.`]),
    references === 'in-bundle'
      ? 'Entries of one request may refer to each other.'
      : 'References name what was written before, by its address.',
    update === 'after-a-look'
      ? 'Before a change the record is read, so that nobody else’s change is lost.'
      : 'A change is sent without reading the record first.',
    guarded.length === 0
      ? 'No version guards a change: the EHR names none.'
      : `A change names the version that it is made to (If-Match), of ${guarded.length} of ${Object.keys(types).length} types.`,
    answer === 'minimal'
      ? 'It is asked to answer with as little as it can.'
      : 'It is asked to answer with what it stored.',
    ...(fixed.length === 0
      ? []
      : [`Once written, these can be neither changed nor taken back: ${fixed.map(([type]) => type).join(', ')}.`]),
  ];
}

const DIALECT: Readonly<Record<string, string>> = {
  setting: 'because CHARTGATE_DIALECT says so',
  recognised: 'because the EHR was recognised by what it says of itself',
  'nothing-fits': 'because no other fits: it is written to as R4 has it',
  'not-asked-yet': 'for now: the EHR has not been asked yet',
};
const SEARCH: Readonly<Record<Target['habits']['search'], string>> = {
  immediate: 'Searches find what was written at once.',
  delayed: 'Searches find what was written only after a while, so nothing is concluded from an empty one.',
  'not seen yet': 'How soon searches find what was written was not seen yet.',
};

/** What the EHR can, what follows from it, and what it was seen to do. */
export function PlanInWords({ of: { plan, dialect, habits } }: { readonly of: Target }) {
  const changed = Object.entries(habits.changes).filter(([, parts]) => parts.length > 0);
  return (
    <section className="card" aria-labelledby="plan">
      <h2 id="plan">What it can, and what follows</h2>
      <p>
        It is written to in the dialect <strong>{dialect.name ?? 'R4'}</strong>, {DIALECT[dialect.because]}.
      </p>
      {plan === null ? (
        <p className="warn">The EHR has not said what it can, so nothing is written. Probe it.</p>
      ) : (
        <>
          <Table
            caption="Each choice, and why it was made"
            rows={choicesOf(plan)}
            columns={COLUMNS}
            keyOf={({ what, how }) => `${what} ${how}`}
          />
          <ul>
            {[...sentencesOf(plan), SEARCH[habits.search]].map((one) => (
              <li key={one}>{one}</li>
            ))}
            {changed.map(([type, parts]) => (
              <li key={type}>
                It gives back {type} with other <code>{parts.join(', ')}</code> than was written; that is not taken for
                a change by somebody.
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
