import type { ConceptMap } from '@medplum/fhirtypes';
import { isObject } from '../kernel/index.ts';
import type { MappingFiles } from './build-mappings.ts';

/** A row of the mapping data as a person reads it. */
export interface ListedRow {
  readonly file: string;
  /** As every decision names it: `conceptmap-metrics.json#weight/point`. */
  readonly row: string;
  /** What it is about: a word or a code of the source, or the code whose values are bounded. */
  readonly code: string;
  /** In which context or unit. */
  readonly when: string | null;
  readonly system: string;
  readonly target: string;
  readonly display: string | null;
  /** What else it says: the equivalence, or the bounds. */
  readonly says: string;
  readonly source: string;
  readonly reviewer: string;
}

const SOURCE = 'urn:chartgate:mapping:source';
const REVIEWER = 'urn:chartgate:mapping:reviewer';

function rowsOfMap(file: string, map: ConceptMap): ListedRow[] {
  const rows: ListedRow[] = [];
  for (const group of map.group ?? [])
    for (const { code = '', target: targets = [] } of group.element)
      for (const { code: target = '', display, equivalence, dependsOn = [], extension = [] } of targets) {
        const words = dependsOn.map(({ value }) => value);
        const said = (url: string): string => extension.find((one) => one.url === url)?.valueString ?? '';
        rows.push({
          file,
          row: `${file}#${[code, ...words].join('/')}`,
          code,
          when: words.length === 0 ? null : words.join('/'),
          system: group.target ?? '',
          target,
          display: display ?? null,
          says: equivalence,
          source: said(SOURCE),
          reviewer: said(REVIEWER),
        });
      }
  return rows;
}

interface Bounds {
  readonly low: number | null;
  readonly high: number | null;
}
const sayBounds = ({ low, high }: Bounds): string => `${low ?? 'any'} to ${high ?? 'any'}`;

interface Bounded {
  readonly rows: readonly {
    readonly system: string;
    readonly code: string;
    readonly unit: string;
    readonly hard: Bounds;
    readonly soft: Bounds;
    readonly source: string;
    readonly reviewer: string;
  }[];
}
const rowsOfBounds = (file: string, { rows }: Bounded): ListedRow[] =>
  rows.map(({ system, code, unit, hard, soft, source, reviewer }) => ({
    file,
    row: `${file}#${code}`,
    code,
    when: unit,
    system,
    target: code,
    display: null,
    says: `hard ${sayBounds(hard)}, soft ${sayBounds(soft)}`,
    source,
    reviewer,
  }));

/** Every row of files that are sound, file by file: what codes become, and what is plausible. */
export function listRows(files: MappingFiles): ListedRow[] {
  return [...files].flatMap(([file, bytes]) => {
    const isMap = file.startsWith('conceptmap-');
    if (!isMap && file !== 'plausibility.json') return [];
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (!isObject(value)) return [];
    return isMap ? rowsOfMap(file, value as unknown as ConceptMap) : rowsOfBounds(file, value as unknown as Bounded);
  });
}
