/** What solves a group of deliveries that wait for a person. */
export type Remedy = 'link' | 'map' | 'replay' | 'discard' | 'approve' | 'decide' | 'wait';

interface Reason {
  readonly title: string;
  readonly remedy: Remedy;
  /** What to do about it, where the fault behind it says nothing. */
  readonly advice: string;
}

const PARKED: Readonly<Record<string, Reason>> = {
  unlinked: {
    title: 'Nobody is linked to the user',
    remedy: 'link',
    advice: 'Link each user to a patient. What waits goes on by itself.',
  },
  'not-ready': {
    title: 'The source has not finished the document',
    remedy: 'wait',
    advice: 'Nothing is to be done: the finished version takes its place. Discard what the source has forgotten.',
  },
  unmapped: {
    title: 'A code, unit or structure has no mapping',
    remedy: 'map',
    advice: 'Map the words below and load the mapping files, then judge the deliveries again.',
  },
  'not-profile': {
    title: 'It misses what a profile of the EHR asks for',
    remedy: 'replay',
    advice:
      'See which rule and place, mend the mapping files, the dialect or the guide, load them, then judge the deliveries again.',
  },
  implausible: {
    title: 'A value cannot be true',
    remedy: 'discard',
    advice: 'A corrected version of the document takes its place. Discard what will not be corrected.',
  },
  patient: {
    title: 'The EHR has no such patient',
    remedy: 'replay',
    advice: 'Mend the patient at the EHR or the link, then judge the deliveries again.',
  },
  conflict: {
    title: 'Somebody else changed the chart',
    remedy: 'decide',
    advice: 'See both sides of each, and decide which one stays.',
  },
  ambiguous: {
    title: 'It may have been written already',
    remedy: 'approve',
    advice: 'Look whether the chart has it. Approve what is to be written.',
  },
  rejected: {
    title: 'The EHR refused it',
    remedy: 'replay',
    advice: 'Read what the EHR said, mend it there or in the dialect, then judge the deliveries again.',
  },
  exhausted: {
    title: 'It was tried too often',
    remedy: 'replay',
    advice: 'Look whether the EHR takes writes again, then judge the deliveries again.',
  },
  suspicious: {
    title: 'It would withdraw most of a day',
    remedy: 'approve',
    advice: 'See what each would take out of the chart, and approve what is right.',
  },
  identity: {
    title: 'The result names another person',
    remedy: 'approve',
    advice: 'Compare the person of the laboratory result with the chart. Approve only what is of the same person.',
  },
};

const given = (title: string, advice: string, remedy: Remedy = 'discard'): Reason => ({ title, remedy, advice });
const QUARANTINED: Readonly<Record<string, Reason>> = {
  'not-json': given('It is not JSON', 'Tell the source. Discard what it will send again.'),
  shape: given('It does not have the shape of its structure', 'Tell the source. Discard what it will send again.'),
  'not-r4': given('It is not valid FHIR R4', 'Tell the source. Discard what it will send again.'),
  'not-profile': given(
    'It does not meet a profile that it claims',
    'Tell the source. Discard what it will send again.',
  ),
  identity: given('It names two users', 'Tell the source. Nothing of it was taken.'),
  'foreign-client': given('It is of another client', 'Look at the webhook of the source. Discard what is not ours.'),
  'version-conflict': given('Two documents have the same version', 'Ask the source which of the two is right.'),
  erased: given('Its user was erased', 'Nothing of it was kept. Discard it.'),
  failed: given('The gateway failed over it', 'Report the defect with the id, and judge it again later.', 'replay'),
};

export const reasonOf = (state: string, reason: string | null | undefined): Reason =>
  (state === 'parked' ? PARKED : QUARANTINED)[reason ?? ''] ?? given(reason ?? state, 'Open an example.', 'replay');

/** Parked for a person who decides on its plan. */
export const isUndecided = (state: string, reason: string | null | undefined): boolean =>
  state === 'parked' && ['approve', 'decide'].includes(reasonOf(state, reason).remedy);

/** These faults tell what to do about the one patient or body; others tell less than the reason does. */
const TELLING = /^(?:patient|delivery)\./;

/** What a person can do about it. */
export const adviceOf = (of: {
  readonly state: string;
  readonly reason?: string | null | undefined;
  readonly faultCode: string | null;
  readonly detail: string | null;
}): string =>
  (of.faultCode !== null && TELLING.test(of.faultCode) ? of.detail : null) ?? reasonOf(of.state, of.reason).advice;
