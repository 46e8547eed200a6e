import { hl7System } from '../definitions/hl7-terminology.ts';

/** Whether a code system has a code; `unknown` where the system is not known, or only in part. */
export type HasCode = (system: string, code: string) => 'yes' | 'no' | 'unknown';

const TERMINOLOGY = 'http://terminology.hl7.org/CodeSystem/';
const FHIR = 'http://hl7.org/fhir/';

/** The codes of systems in which upper and lower case are the same, in lower case. */
const folded = new Map<string, ReadonlySet<string>>();

/** By what HL7 itself has published. */
export const hasHl7Code: HasCode = (system, code) => {
  if (!system.startsWith(TERMINOLOGY) && !system.startsWith(FHIR)) return 'unknown';
  const found = hl7System(system);
  if (found === undefined) return 'unknown';
  if (found.codes.has(code)) return 'yes';
  if (found.isCaseSensitive) return 'no';
  const codes = folded.get(system) ?? new Set([...found.codes].map((one) => one.toLowerCase()));
  folded.set(system, codes);
  return codes.has(code.toLowerCase()) ? 'yes' : 'no';
};
