import { useState, type SyntheticEvent } from 'react';
import type { AskOf } from '../../api/ask.ts';
import { isOutcome, isType, OUTCOMES, TYPES } from '../../words/audit.ts';
import { Field, textsOf } from '../../ui/field.tsx';
import { Pick } from '../../ui/pick.tsx';

/** What names somebody: it stays in the page, and no address and no command holds it. */
export interface Named {
  readonly mrn: string;
  readonly actor: string;
  readonly reason: string;
}
export const NOBODY: Named = { mrn: '', actor: '', reason: '' };

type Address = Readonly<Record<string, string | undefined>>;
export type Query = NonNullable<AskOf<'audit.search'>['query']>;

/** An address without any filter. */
export const NO_FILTERS: Address = {
  type: undefined,
  outcome: undefined,
  patient: undefined,
  client: undefined,
  delivery: undefined,
  request: undefined,
  from: undefined,
  to: undefined,
  cursor: undefined,
};

const HANDLE = /^~m\.[\w-]+$/;
/** Of the address, only what a search takes; of a patient, only a handle. */
export const queryOf = (address: Address): Query => {
  const { type, outcome, patient, client, delivery, request, from, to } = address;
  return {
    ...(isType(type) ? { type } : {}),
    ...(isOutcome(outcome) ? { outcome } : {}),
    ...(patient !== undefined && HANDLE.test(patient) ? { patient } : {}),
    ...(client === undefined ? {} : { client }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(request === undefined ? {} : { request }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};
export const withNamed = (query: Query, { mrn, actor }: Named): Query => ({
  ...query,
  ...(mrn === '' ? {} : { patient: mrn }),
  ...(actor === '' ? {} : { actor }),
});

/** As a field for a local time has it. */
function localOf(instant: string | undefined): string {
  if (instant === undefined || Number.isNaN(Date.parse(instant))) return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

export function Filters({
  address,
  named,
  onChange,
}: {
  readonly address: Address;
  readonly named: Named;
  readonly onChange: (address: Address, named: Named) => void;
}) {
  const [type, setType] = useState(address['type']);
  const [outcome, setOutcome] = useState(address['outcome']);
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = textsOf(
      event.currentTarget,
      ...(['mrn', 'actor', 'reason', 'client', 'delivery', 'request', 'from', 'to'] as const),
    );
    const { mrn, actor, reason, from, to, ...rest } = given;
    const patient = mrn === '' ? address['patient'] : undefined;
    onChange(
      { ...rest, type, outcome, patient, from: instantOf(from), to: instantOf(to), cursor: undefined },
      { mrn, actor, reason },
    );
  };
  return (
    <form className="card" aria-label="Filters" onSubmit={onSubmit}>
      <div className="grid">
        <Field
          label="Patient"
          name="mrn"
          maxLength={64}
          placeholder={address['patient'] === undefined ? 'MRN' : 'as the address says'}
          defaultValue={named.mrn}
        />
        <Field label="Person or API key" name="actor" maxLength={100} defaultValue={named.actor} />
        <Field label="App" name="client" maxLength={100} placeholder="client id" defaultValue={address['client']} />
        <Pick
          label="What happened"
          value={isType(type) ? type : undefined}
          of={TYPES}
          any="Anything"
          onChange={setType}
        />
        <Pick
          label="Outcome"
          value={isOutcome(outcome) ? outcome : undefined}
          of={OUTCOMES}
          any="Any"
          onChange={setOutcome}
        />
        <Field label="From" name="from" type="datetime-local" defaultValue={localOf(address['from'])} />
        <Field label="Until" name="to" type="datetime-local" defaultValue={localOf(address['to'])} />
        <Field
          label="Delivery"
          name="delivery"
          maxLength={100}
          placeholder="dlv_…"
          defaultValue={address['delivery']}
        />
        <Field label="Request" name="request" maxLength={100} placeholder="req_…" defaultValue={address['request']} />
        <Field
          label="Why you ask"
          name="reason"
          maxLength={200}
          placeholder="for a restricted patient"
          defaultValue={named.reason}
        />
      </div>
      <div className="row">
        <button type="submit">Find</button>
        <button type="button" className="plain" onClick={() => onChange(NO_FILTERS, NOBODY)}>
          Clear
        </button>
        <span className="small quiet">An MRN and a name stay in this page; the address never holds them.</span>
      </div>
    </form>
  );
}
