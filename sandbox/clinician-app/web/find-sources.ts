import {
  literalOf,
  nameOf,
  wordsOf,
  type Device,
  type Named,
  type Observation,
  type Provenance,
  type Reference,
} from './chart-parts.ts';
import { saysMachine } from './read-measurement.ts';

export type Included = Device | Provenance | Named;

/** The ids of the Observations of which a Provenance says that a machine has read them from a document. */
export function findMachineRead(included: readonly Included[]): ReadonlySet<string> {
  const says = ({ meta, activity, agent = [] }: Provenance): boolean =>
    meta?.tag?.some(({ code }) => code === 'machine-extracted') === true ||
    [wordsOf(activity), ...agent.flatMap(({ type, who }) => [wordsOf(type), who?.display ?? ''])].some(saysMachine);
  return new Set(
    included
      .flatMap((one) => (one.resourceType === 'Provenance' && says(one) ? (one.target ?? []) : []))
      .flatMap((target) => /^Observation\/(.+)$/.exec(literalOf(target) ?? '')?.[1] ?? []),
  );
}

export type FindSource = (observation: Observation) => string;

const deviceText = ({ deviceName, manufacturer, type }: Device): string => {
  const name = deviceName?.[0]?.name ?? wordsOf(type);
  return [name === '' ? 'a device' : name, manufacturer ?? ''].filter((part) => part !== '').join(', ');
};

/** Where a measurement comes from: the device, who performed it, and through whose hands it went. */
export function makeFindSource(included: readonly Included[]): FindSource {
  const byLiteral = new Map(included.map((one) => [`${one.resourceType}/${one.id ?? ''}`, one]));
  const provenances = new Map<string, Provenance[]>();
  for (const one of included) {
    if (one.resourceType !== 'Provenance') continue;
    for (const target of one.target ?? []) {
      const literal = literalOf(target);
      if (literal !== null) provenances.set(literal, [...(provenances.get(literal) ?? []), one]);
    }
  }

  function who(reference: Reference | undefined): string {
    if (reference?.display !== undefined) return reference.display;
    const literal = literalOf(reference);
    if (literal === null) return '';
    if (literal.startsWith('Patient/')) return 'the patient';
    const found = byLiteral.get(literal);
    if (found?.resourceType === 'Device') return deviceText(found);
    return found === undefined || found.resourceType === 'Provenance' ? literal : nameOf(found) || literal;
  }

  return (observation) => {
    const parts: string[] = [];
    const say = (before: string, names: readonly string[]): void => {
      const known = [...new Set(names.filter((name) => name !== ''))];
      if (known.length > 0) parts.push(`${before} ${known.join(' and ')}`);
    };
    say('measured by', [who(observation.device)]);
    say('performed by', (observation.performer ?? []).map(who));
    const agents = (provenances.get(`Observation/${observation.id ?? ''}`) ?? []).flatMap(({ agent = [] }) => agent);
    const acting = (role: string): string[] =>
      agents
        .filter(({ type }) => type?.coding?.some(({ code }) => code === role) === true)
        .map((agent) => who(agent.who));
    say(
      'said by',
      acting('author').filter((name) => name !== 'the patient'),
    );
    say('brought by', acting('informant'));
    say('assembled by', acting('assembler'));
    say('sent by', acting('transmitter'));
    return parts.length === 0 ? 'not said' : parts.join('; ');
  };
}
