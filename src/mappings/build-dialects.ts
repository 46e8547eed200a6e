import { z } from 'zod';
import { isResourceType } from '../r4/index.ts';
import { isLoinc } from './check-code.ts';
import { isSign } from './recognise-dialect.ts';
import type { Dialect, ImposedProfile } from './mapping.ts';
import type { Report } from './problem.ts';
import { count, countOrNull, list, listOrNull, object, oneOf, readShape, words } from './read-shape.ts';

const SHAPE = z.strictObject({
  name: words,
  title: words,
  recognisedBy: listOrNull,
  types: listOrNull,
  categories: listOrNull,
  componentsOf: listOrNull,
  effective: oneOf('as-given', 'start', 'end'),
  interpretationsMax: countOrNull,
  referenceRange: oneOf('typed', 'normal-only'),
  performer: oneOf('patient', 'practitioner', 'none'),
  device: oneOf('resource', 'contained', 'note'),
  provenance: oneOf('resource', 'none'),
  extensions: oneOf('keep', 'drop'),
  preliminary: oneOf('keep', 'as-final'),
  amendedStatus: oneOf('amended', 'corrected', 'final'),
  retraction: oneOf('entered-in-error', 'corrected'),
  zeroAlerts: oneOf('write', 'to-replace'),
  // A dialect that a site wrote before there were profiles asks for none.
  profiles: list.default([]),
  write: object,
  source: words,
  reviewer: words,
} satisfies Record<Exclude<keyof Dialect, 'row'>, unknown>);

const WRITE = z.strictObject({
  bundle: oneOf('auto', 'transaction', 'batch', 'none'),
  identity: oneOf('auto', 'put-by-id', 'conditional-update', 'search-then-write', 'ledger-only'),
  references: oneOf('in-bundle', 'by-address'),
  entriesMax: count,
  bytesMax: count,
  searchSettleMs: count,
  answer: oneOf('minimal', 'representation'),
  update: oneOf('direct', 'after-a-look'),
  // A dialect that a site wrote before there was this choice believes the CapabilityStatement.
  ifMatch: oneOf('auto', 'required').default('auto'),
} satisfies Record<keyof Dialect['write'], unknown>);

const CODE = 'a code without whitespace';
const codeOrNone = z
  .string(CODE)
  .regex(/^\S+$/, CODE)
  .nullish()
  .transform((code) => code ?? null);
const ADDRESS = "a profile's address, such as https://example.org/StructureDefinition/name";

const IMPOSED = z.strictObject({
  type: words,
  category: codeOrNone,
  code: codeOrNone,
  profile: z.string(ADDRESS).regex(/^[a-z][a-z0-9+.-]*:[^\s|]+(?:\|[^\s|]+)?$/i, ADDRESS),
  claim: oneOf('write', 'leave').default('leave'),
} satisfies Record<keyof ImposedProfile, unknown>);

const sameRow = (a: ImposedProfile, b: ImposedProfile): boolean =>
  a.type === b.type && a.category === b.category && a.code === b.code && a.profile === b.profile;

function readProfiles(rows: readonly unknown[], file: string, report: Report): ImposedProfile[] {
  const profiles: ImposedProfile[] = [];
  for (const [i, value] of rows.entries()) {
    const place = `${file}#profiles[${i}]`;
    const row = readShape(value, IMPOSED, place, report);
    if (row === null) continue;
    if (!isResourceType(row.type)) report(place, `${row.type} is no resource type`);
    if (profiles.some((one) => sameRow(one, row))) report(place, `${row.profile} is asked for twice by the same`);
    profiles.push(row);
  }
  return profiles;
}

/** `files` holds the parsed files of `dialects/`, by their name. */
export function buildDialects(files: ReadonlyMap<string, unknown>, report: Report): ReadonlyMap<string, Dialect> {
  const dialects = new Map<string, Dialect>();
  for (const [file, value] of files) {
    const dialect = readShape(value, SHAPE, file, report);
    if (dialect === null) continue;
    const write = readShape(dialect.write, WRITE, `${file}#write`, report);
    if (file !== `dialects/${dialect.name}.json`)
      report(file, `the name must be that of the file, not ${dialect.name}`);
    for (const sign of dialect.recognisedBy ?? []) if (!isSign(sign)) report(file, `${sign} is no sign of an EHR`);
    for (const type of dialect.types ?? []) if (!isResourceType(type)) report(file, `${type} is no resource type`);
    for (const code of dialect.componentsOf ?? [])
      if (!isLoinc(code)) report(file, `${code} has a wrong LOINC check digit`);
    const profiles = readProfiles(dialect.profiles, file, report);
    if (write !== null) dialects.set(dialect.name, { ...dialect, write, profiles, row: file });
  }
  return dialects;
}
