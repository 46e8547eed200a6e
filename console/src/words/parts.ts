const PARTS: Readonly<Record<string, string>> = {
  status: 'Status',
  code: 'Code',
  subject: 'Patient',
  time: 'Time',
  value: 'Value',
  unit: 'Unit',
  components: 'Components',
  interpretation: 'Interpretation',
  notes: 'Notes',
  identifiers: 'Identifiers',
  other: 'Everything else',
};
const ORDER = Object.keys(PARTS);

/** How a part of a resource's content is called. */
export const partName = (part: string): string => PARTS[part] ?? part;

type Content = Readonly<Record<string, string>> | null;

/** The parts that either side has, in the order in which a person reads them. */
export const partsOf = (...sides: readonly Content[]): string[] => {
  const found = new Set(sides.flatMap((side) => Object.keys(side ?? {})));
  return [...ORDER.filter((part) => found.has(part)), ...[...found].filter((part) => !ORDER.includes(part))];
};

const SYSTEMS: Readonly<Record<string, string>> = {
  'http://loinc.org': 'LOINC',
  'http://snomed.info/sct': 'SNOMED CT',
  'http://unitsofmeasure.org': 'UCUM',
};
const systemName = (system: string): string => SYSTEMS[system] ?? system.slice(system.lastIndexOf('/') + 1);

/** `http://loinc.org|29463-7` as `LOINC 29463-7`; a code of the source alone. */
export const inWords = (text: string): string =>
  text
    .replace(/(https?:\/\/[^\s|;]+)\|/g, (_: string, system: string) => `${systemName(system)} `)
    .replace(/urn:[^\s|;]+\|/g, '');

/** One word and many: `1 delivery`, `12 deliveries`. */
export const countOf = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
export const deliveriesOf = (count: number): string => countOf(count, 'delivery', 'deliveries');
export const patientsOf = (count: number): string => countOf(count, 'patient', 'patients');
