import type { SyntheticEvent } from 'react';
import { STATES } from '../../../src/admin/contract/states.ts';
import type { Handled } from '../../../src/admin/contract/handle-shape.ts';
import { handleOf } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import { Outcome, useAct } from '../ui/act.tsx';
import { Choice } from '../ui/choice.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { Chip, NamedFilter } from '../ui/named.tsx';

const STRUCTURES = ['clinical_ready', 'lab_result', 'alert_event', 'alert_summary', 'user_profile', 'steps_event'];
const isState = (value: string | undefined): value is (typeof STATES)[number] => STATES.some((one) => one === value);

/** What the address of the list holds: handles in the place of MRN and user, instants in UTC. */
export type Given = Readonly<Record<string, string | undefined>>;
const NAMES = [
  'state',
  'structure',
  'why',
  'fault',
  'finding',
  'word',
  'request',
  'from',
  'to',
  'mrn',
  'user',
  'client',
] as const;

/** The same as the API asks for it. */
export const queryOf = (given: Given) => ({
  state: isState(given['state']) ? given['state'] : undefined,
  data_structure: given['structure'],
  reason: given['why'],
  fault: given['fault'],
  finding: given['finding'],
  word: given['word'],
  request_id: given['request'],
  received_from: given['from'],
  received_to: given['to'],
  mrn: given['mrn'],
  user_id: given['user'],
  client_uuid: given['user'] === undefined ? undefined : given['client'],
});

/** And as the command line does. */
export const commandOf = (given: Given): string =>
  [
    'deliveries list',
    ...NAMES.flatMap((name) => (given[name] === undefined ? [] : [`--${name} '${given[name].replaceAll("'", '')}'`])),
  ].join(' ');

export const isFiltered = (given: Given): boolean => NAMES.some((name) => given[name] !== undefined);

/** `2026-01-31T08:00` in the viewer's zone, as the browser's field writes it. */
const localOf = (instant: string | undefined): string => {
  const at = new Date(instant ?? NaN);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const instantOf = (local: string): string | undefined => (local === '' ? undefined : new Date(local).toISOString());

export function DeliveryFilters({
  given,
  onChange,
}: {
  readonly given: Given;
  readonly onChange: (changes: Given) => void;
}) {
  const act = useAct();
  const maySeePatients = useMay('patients.read');
  const isMore = ['why', 'fault', 'finding', 'request', 'from', 'to'].some((name) => given[name] !== undefined);

  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const texts = textsOf(event.currentTarget, 'why', 'fault', 'finding', 'request', 'from', 'to', 'mrn', 'user');
    const { from, to, mrn, user, ...plain } = texts;
    const changes: Record<string, string | undefined> = { ...plain, from: instantOf(from), to: instantOf(to) };
    const typed = Object.entries({ mrn, user }) as [Handled, string][];
    for (const [of, text] of typed) {
      if (text === '') continue;
      const made = handleOf(of, text);
      if (!(await act.run(made, () => ''))) return;
      const reply = await made;
      if (reply.kind === 'done') changes[of] = reply.value;
    }
    onChange(changes);
  };

  const typed = (label: string, name: string, hint: string) => (
    <Field
      label={label}
      name={name}
      hint={hint}
      maxLength={100}
      key={given[name] ?? ''}
      defaultValue={given[name] ?? ''}
    />
  );
  return (
    <form className="card filters" aria-label="Filters" onSubmit={(event) => void onSubmit(event)}>
      <div className="row">
        <Choice label="State" value={given['state']} of={STATES} onChange={(state) => onChange({ state })} />
        <Choice
          label="Structure"
          value={given['structure']}
          of={STRUCTURES}
          onChange={(structure) => onChange({ structure })}
        />
        {maySeePatients ? (
          <NamedFilter of="mrn" handle={given['mrn']} onClear={() => onChange({ mrn: undefined })} />
        ) : null}
        <NamedFilter
          of="user"
          handle={given['user']}
          onClear={() => onChange({ user: undefined, client: undefined })}
        />
        {given['word'] === undefined ? null : (
          <Chip label="Unmapped word" is="one word" clear="Any word" onClear={() => onChange({ word: undefined })} />
        )}
        <button type="submit" disabled={act.isBusy}>
          Find
        </button>
        {isFiltered(given) ? (
          <button
            type="button"
            className="plain"
            onClick={() => onChange(Object.fromEntries(NAMES.map((name) => [name, undefined])))}
          >
            Clear all
          </button>
        ) : null}
      </div>
      <details open={isMore}>
        <summary>Time, request, finding and fault</summary>
        <div className="fields">
          <Field
            label="Received from"
            name="from"
            type="datetime-local"
            key={`from ${given['from'] ?? ''}`}
            defaultValue={localOf(given['from'])}
          />
          <Field
            label="Received before"
            name="to"
            type="datetime-local"
            key={`to ${given['to'] ?? ''}`}
            defaultValue={localOf(given['to'])}
          />
          {typed('Request', 'request', 'As X-Request-Id says it')}
          {typed('Finding', 'finding', 'Such as code.unmapped')}
          {typed('Fault', 'fault', 'Such as patient.none')}
          {typed('Why it is in its state', 'why', 'Such as unlinked')}
        </div>
      </details>
      {act.said?.isGood === false ? <Outcome of={act} /> : null}
    </form>
  );
}
