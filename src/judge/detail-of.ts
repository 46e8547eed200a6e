import { LEFT_OUT, NOT_TAKEN } from '../inbox/index.ts';
import { FAULT_CODES, HANDLING, type FaultCode } from '../kernel/index.ts';

/** Where the sentence of the kind would leave open which it is, and so what to do. */
const OF_DELIVERIES: Partial<Record<FaultCode, string>> = {
  'patient.none':
    'No patient of the EHR has this MRN. Correct the MRN of the link, or register the patient at the EHR, and replay.',
  'patient.many': 'Several patients of the EHR have this MRN. Merge them at the EHR, and replay.',
  'patient.inactive':
    'The patient with this MRN is not active at the EHR. Make the record active again, or link to the one that took its place, and replay.',
  'patient.unverified':
    'The EHR answered with a patient who does not carry this MRN. Nothing was written. Look whether its search by identifier works, and replay.',
  'patient.merged':
    'The merged patients of this MRN lead to nobody: a circle, a branch, or a record that is not there. Correct their links at the EHR, and replay.',
  'patient.not-created':
    'The patient is not there, and the EHR did not create one by condition. Register the patient at the EHR, and replay.',
  'patient.other':
    'The laboratory result says that it is of another person than the patient of this chart: another birth date, or two of name, sex and birth date. Nothing was written. Correct the link, or discard it; if it is the right patient after all, replay it.',
  'patient.differs':
    'The laboratory result and the chart disagree in one of name, sex and birth date. It was written; look whether it is the right patient.',
  'patient.unchecked':
    'Whether the laboratory result is of the patient of this chart could not be compared: the chart does not say enough.',
  'delivery.no-body':
    'The bytes of this delivery are gone by retention, so nothing can be written from it. Have the source send it again.',
  'delivery.unopenable':
    'The bytes of this delivery are sealed by a key that is not configured. Add the older key to CHARTGATE_DATA_KEY, and replay.',
};

export const isFaultCode = (text: string): text is FaultCode => Object.hasOwn(FAULT_CODES, text);

const WAITS_IN_PART =
  'A part of the document was left out: its findings name the places. Map what is unmapped and load the mapping data anew, and it is written by itself; a value that cannot be true waits for the next version of its document.';

const WAYS: Readonly<Record<string, string>> = {
  [LEFT_OUT]: WAITS_IN_PART,
  [NOT_TAKEN]:
    'The dialect of this EHR takes none of what the document says, so nothing of it is in the chart. If the EHR does take it, change the dialect and replay.',
};

/**
 * What happened and what a person can do; null where nobody need do anything. A constant, with nothing of a patient in
 * it.
 */
export function detailOf({
  reason,
  faultCode,
}: {
  readonly reason: string | null;
  readonly faultCode: string | null;
}): string | null {
  if (faultCode !== null && isFaultCode(faultCode))
    return OF_DELIVERIES[faultCode] ?? HANDLING[FAULT_CODES[faultCode]].text;
  return reason === null ? null : (WAYS[reason] ?? null);
}
