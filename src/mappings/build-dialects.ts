import { z } from 'zod';
import { isResourceType } from '../r4/index.ts';
import { isLoinc } from './check-code.ts';
import { isSign } from './recognise-dialect.ts';
import type { Dialect } from './mapping.ts';
import type { Report } from './problem.ts';
import { count, countOrNull, listOrNull, object, oneOf, readShape, words } from './read-shape.ts';

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
  performer: oneOf('patient', 'none'),
  device: oneOf('resource', 'contained', 'note'),
  provenance: oneOf('resource', 'none'),
  extensions: oneOf('keep', 'drop'),
  preliminary: oneOf('keep', 'as-final'),
  amendedStatus: oneOf('amended', 'corrected', 'final'),
  retraction: oneOf('entered-in-error', 'corrected'),
  zeroAlerts: oneOf('write', 'to-replace'),
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
} satisfies Record<keyof Dialect['write'], unknown>);

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
    if (write !== null) dialects.set(dialect.name, { ...dialect, write, row: file });
  }
  return dialects;
}
