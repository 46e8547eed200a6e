import type { CodeSystem } from '@medplum/fhirtypes';
import type { MappedCoding } from './mapping.ts';
import type { Report } from './problem.ts';
import { LOCAL } from './systems.ts';

/** `system` is valid R4. */
export function buildLocal(file: string, system: CodeSystem, report: Report): ReadonlyMap<string, MappedCoding> {
  const codings = new Map<string, MappedCoding>();
  if (system.url !== LOCAL) report(file, `the url must be ${LOCAL}`);
  for (const { code = '', display = '', definition = '' } of system.concept ?? []) {
    const row = `${file}#${code}`;
    if (codings.has(code)) report(row, 'is there twice');
    if (display === '' || definition === '') report(row, 'needs display and definition');
    codings.set(code, Object.freeze({ system: LOCAL, code, display }));
  }
  return codings;
}
