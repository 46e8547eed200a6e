import type { Rule, Switches } from '../../../../sandbox/index.ts';

/** All of one day and group, so that a version which leaves one out takes it back. */
export const METRICS = ['weight', 'height', 'bmi', 'resting_heart_rate'] as const;
export type Metric = (typeof METRICS)[number];

/** What one version of a document says: the digits of each measurement that it carries. */
export type Content = Readonly<Partial<Record<Metric, string>>>;

/** What documents may say. Few, so that values come back; some with digits that a careless server loses. */
export const VALUES: Readonly<Record<Metric, readonly string[]>> = {
  weight: ['71.25', '70.5', '70.10', '69.0'],
  height: ['178', '179.0', '180.5'],
  bmi: ['22.5', '23.0', '21.75'],
  resting_heart_rate: ['58', '59', '61'],
};

/** How a version differs from the newest one before it. */
export type Change =
  | { readonly kind: 'value'; readonly metric: Metric; readonly pick: number }
  | { readonly kind: 'drop'; readonly metric: Metric }
  | { readonly kind: 'drop-most'; readonly metric: Metric }
  /** As two versions before. */
  | { readonly kind: 'back' }
  | { readonly kind: 'same' };

export const FAULTS = {
  'dropped-before': { drop: 'before-commit' },
  'dropped-after': { drop: 'after-commit' },
  busy: { status: 503 },
  failed: { status: 500 },
  slow: { delayMs: 250 },
} as const satisfies Readonly<Record<string, Switches>>;
export type FaultName = keyof typeof FAULTS;

/** `user` is 0 or 1. `waits`: the next act comes only when everything is at rest. */
export type Act =
  | {
      readonly act: 'send';
      readonly user: number;
      readonly changes: readonly Change[];
      readonly skips: boolean;
      readonly waits: boolean;
    }
  /** A version that was skipped, after newer ones. */
  | { readonly act: 'send-late'; readonly user: number; readonly changes: readonly Change[] }
  | { readonly act: 'repeat'; readonly user: number }
  /** `soon`: also while the gateway is at work, where the EHR's versions make that safe. */
  | {
      readonly act: 'edit';
      readonly user: number;
      readonly metric: Metric;
      readonly what: 'value' | 'note';
      readonly soon: boolean;
    }
  | { readonly act: 'fault'; readonly fault: FaultName; readonly times: number }
  | { readonly act: 'restart' }
  | { readonly act: 'relink'; readonly user: number; readonly waits: boolean }
  | { readonly act: 'decide'; readonly user: number; readonly decision: 'keep-theirs' | 'overwrite' }
  | { readonly act: 'approve'; readonly user: number };

/** An EHR with a character. */
export interface Character {
  readonly traits: Switches;
  /** Hold besides the faults. */
  readonly rules: readonly Rule[];
  /**
   * Nothing at the EHR tells whether a write was done whose answer is lost: it is neither named by us nor found by its
   * name.
   */
  readonly isBlind: boolean;
}

export interface Program {
  readonly character: Character;
  readonly acts: readonly Act[];
}

/** Whether it may take a while, or for ever, until it is known whether a write was done. */
export const cannotTell = ({ traits, isBlind }: Character): boolean =>
  isBlind || (traits.searchLagMs !== undefined && traits.noClientIds === true);

/**
 * Whether a change by a person can be told from ours at any moment. Where versions have no names, or answers tell of
 * others, or what is stored differs from what was sent, it can only be told from what was seen at rest.
 */
export function showsEveryEdit({ traits, isBlind }: Character): boolean {
  const { versionIds, staleAnswers, bareCreate, searchLagMs, meta, unionTags } = traits;
  const { addNarrative, addDisplay, normaliseNumbers, reorderIdentifiers } = traits;
  const hides = [staleAnswers, bareCreate, unionTags, addNarrative, addDisplay, normaliseNumbers, reorderIdentifiers];
  return (
    !isBlind && versionIds === undefined && searchLagMs === undefined && meta === undefined && !hides.includes(true)
  );
}

const changeText = (change: Change): string => {
  switch (change.kind) {
    case 'value':
      return `${change.metric}=${VALUES[change.metric][change.pick % VALUES[change.metric].length] ?? ''}`;
    case 'drop':
      return `without ${change.metric}`;
    case 'drop-most':
      return `only ${change.metric}`;
    case 'back':
      return 'as two before';
    case 'same':
      return 'the same';
  }
};

/** One act in a line, for reports. */
export function actText(one: Act): string {
  const whose = 'user' in one ? ` user ${one.user}` : '';
  switch (one.act) {
    case 'send':
    case 'send-late': {
      const more = one.act === 'send' ? `${one.skips ? ', skips one' : ''}${one.waits ? '' : ', no wait'}` : '';
      return `${one.act}${whose}: ${one.changes.map(changeText).join(', ')}${more}`;
    }
    case 'edit':
      return `edit${whose}: ${one.what} of ${one.metric}${one.soon ? ', at once' : ''}`;
    case 'fault':
      return `fault ${one.fault} x${one.times}`;
    case 'relink':
      return `relink${whose}${one.waits ? '' : ', no wait'}`;
    case 'decide':
      return `decide${whose}: ${one.decision}`;
    case 'repeat':
    case 'approve':
    case 'restart':
      return `${one.act}${whose}`;
  }
}
