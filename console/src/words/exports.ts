import type { ValueOf } from '../api/ask.ts';

export type Export = ValueOf<'exports.get'>;

export const STATES = [
  ['running', 'Running', 'patients are read, one after the other'],
  ['complete', 'Complete', 'its files can be fetched by the app until they are destroyed'],
  ['failed', 'Failed', 'it was given up; the app has to start another'],
  ['deleted', 'Deleted by its app', 'the app took what it wanted, or wants nothing more; the files are destroyed'],
  ['ended', 'Ended by an operator', 'it was read no further, and its files are destroyed'],
  ['expired', 'Expired', 'the time for fetching is over, and the files are destroyed'],
] as const satisfies readonly (readonly [Export['state'], string, string])[];
export const isState = (value: string | undefined): value is Export['state'] => STATES.some(([one]) => one === value);
export const stateMeaning = (state: Export['state']): string => STATES.find(([one]) => one === state)?.[2] ?? state;

/** Only then there is something to end. */
export const canEnd = ({ state }: Export): boolean => state === 'running' || state === 'complete';

const LEVELS: Readonly<Record<Export['level'], string>> = {
  system: 'Everything, of all linked patients',
  patient: 'Linked patients',
  group: 'The patients of a group',
};
export const levelWords = ({ level }: Export): string => LEVELS[level];
export const typesWords = ({ types }: Export): string =>
  types === null ? 'all types that the app may read' : types.join(', ');

interface Wrong {
  readonly what: string;
  readonly advice: string;
}
const WRONG: Readonly<Record<string, Wrong>> = {
  'export.client': {
    what: 'The app was disabled, or may read nothing of it any more.',
    advice: 'Look at the app and the most that it may have. It can then start another.',
  },
  'export.given-up': {
    what: 'It did not come to its end within a day.',
    advice: 'Look whether the EHR was slow or away. The app may ask for fewer types, or for a group.',
  },
  'group.not-found': {
    what: 'Its group was removed before everybody in it was found.',
    advice: 'Make the group anew, and let the app start another.',
  },
  'ehr.paused': {
    what: 'The EHR is left alone for a while, since too many requests failed.',
    advice: 'Look at the EHR. It goes on by itself when the EHR answers again.',
  },
};

/** What went wrong in words, and what to do about it. */
export function wrongOf({ error, state }: Export): Wrong | null {
  if (error === null) return null;
  const known = WRONG[error];
  if (known !== undefined) return known;
  if (error.startsWith('ehr.'))
    return {
      what: 'The EHR could not be read.',
      advice:
        state === 'running'
          ? 'Look at the EHR. It is tried again by itself.'
          : 'Look at the EHR, then let the app start another.',
    };
  return { what: 'The gateway met a fault.', advice: `docs/faults.md says what \`${error}\` means and what to do.` };
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
/** `1.4 MB` */
export function sizeWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1_000 ** power;
  return `${size.toLocaleString(undefined, { maximumFractionDigits: power === 0 ? 0 : 1 })}\u00a0${SIZES[power] ?? ''}`;
}
