import type { ConceptMap, ConceptMapGroupElementTarget } from '@medplum/fhirtypes';
import { checkCode } from './check-code.ts';
import type { Equivalence, MappedCoding, Origin } from './mapping.ts';
import type { Report } from './problem.ts';
import { LOINC, UCUM } from './systems.ts';

const PREFIX = 'urn:chartgate:mapping:';
const EQUIVALENCES: readonly string[] = [
  'equal',
  'equivalent',
  'wider',
  'narrower',
  'inexact',
  'relatedto',
] satisfies Equivalence[];

export interface Fact {
  readonly system: string | null;
  readonly value: string;
  readonly display: string | null;
}

/** One target of a ConceptMap: what one source code becomes, when, and with what. */
export interface MapRow extends Origin {
  readonly sourceSystem: string;
  readonly code: string;
  readonly target: MappedCoding;
  readonly equivalence: Equivalence;
  /** `dependsOn`, by the last part of its property. */
  readonly when: ReadonlyMap<string, Fact>;
  /** `product`, by the last part of its property. */
  readonly gives: ReadonlyMap<string, readonly Fact[]>;
}

/** What a map may say, by the last part of the property. */
export interface MapForm {
  /** The code systems that rows may lead to. */
  readonly to: readonly string[];
  readonly when: readonly string[];
  readonly gives: readonly string[];
  /** How keys are written; lookups write their question in the same way. */
  readonly normalise: (code: string) => string;
}

/** What these name is checked, so they must say their system. */
const SYSTEM_OF: Readonly<Record<string, string>> = { unit: UCUM, companion: LOINC, panel: LOINC, component: LOINC };

interface Element {
  readonly property?: string;
  readonly system?: string;
  readonly value?: string;
  readonly display?: string;
}

interface Place {
  readonly row: string;
  readonly report: Report;
  readonly localCodes: ReadonlySet<string>;
}

function readFacts(
  elements: readonly Element[],
  known: readonly string[],
  { row, report, localCodes }: Place,
): Map<string, Fact[]> {
  const facts = new Map<string, Fact[]>();
  for (const { property = '', system = null, value = '', display = null } of elements) {
    const name = property.startsWith(PREFIX) ? property.slice(PREFIX.length) : null;
    if (name === null || !known.includes(name)) {
      report(row, `the property ${property} is not known here`);
      continue;
    }
    const expected = SYSTEM_OF[name] ?? null;
    if (system !== expected) report(row, `the system of ${name} must be ${expected ?? 'left out'}`);
    const wrong = expected === null ? null : checkCode(expected, value, localCodes);
    if (wrong !== null) report(row, wrong);
    facts.set(name, [...(facts.get(name) ?? []), { system, value, display }]);
  }
  return facts;
}

const said = (target: ConceptMapGroupElementTarget, name: string): string =>
  target.extension?.find(({ url }) => url === PREFIX + name)?.valueString?.trim() ?? '';

/** `map` is valid R4. Every row is returned, also one with problems, so that later checks find the rest. */
export function readConceptMap(
  file: string,
  map: ConceptMap,
  form: MapForm,
  localCodes: ReadonlySet<string>,
  report: Report,
): MapRow[] {
  const rows: MapRow[] = [];
  const seen = new Set<string>();
  for (const group of map.group ?? []) {
    const { source: sourceSystem, target: system } = group;
    if (sourceSystem === undefined || system === undefined) {
      report(file, 'a group needs source and target');
      continue;
    }
    if (!form.to.includes(system)) report(file, `the target of a group must be ${form.to.join(' or ')}, not ${system}`);
    for (const element of group.element) {
      const code = element.code ?? '';
      if (code === '' || form.normalise(code) !== code)
        report(`${file}#${code}`, `the key must be written ${form.normalise(code)}`);
      for (const target of element.target ?? []) {
        const words = (target.dependsOn ?? []).map(({ value }) => value);
        const row = `${file}#${[code, ...words].join('/')}`;
        const place = { row, report, localCodes };
        const key = JSON.stringify([sourceSystem, code, ...words]);
        if (seen.has(key)) report(row, 'is there twice');
        seen.add(key);

        const [source, reviewer] = [said(target, 'source'), said(target, 'reviewer')];
        if (source === '') report(row, 'says no source');
        if (reviewer === '') report(row, 'says no reviewer');
        const equivalence: string = target.equivalence;
        if (!EQUIVALENCES.includes(equivalence)) report(row, `the equivalence ${equivalence} maps nothing`);
        const wrong = checkCode(system, target.code ?? '', localCodes);
        if (wrong !== null) report(row, wrong);

        const when = readFacts(target.dependsOn ?? [], form.when, place);
        rows.push({
          row,
          source,
          reviewer,
          sourceSystem,
          code,
          target: {
            system,
            code: target.code ?? '',
            ...(target.display === undefined ? {} : { display: target.display }),
          },
          equivalence: equivalence as Equivalence,
          when: new Map([...when].map(([name, facts]) => [name, facts[0] as Fact])),
          gives: readFacts(target.product ?? [], form.gives, place),
        });
      }
    }
  }
  return rows;
}

export const origin = ({ row, source, reviewer }: Origin): Origin => ({ row, source, reviewer });

export const only = (row: MapRow, name: string): Fact | null => row.gives.get(name)?.[0] ?? null;

export const toCoding = ({ system, value, display }: Fact): MappedCoding => ({
  system: system ?? '',
  code: value,
  ...(display === null ? {} : { display }),
});
