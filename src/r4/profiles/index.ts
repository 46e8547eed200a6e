import type { ProfileRule } from '../runtime/context.ts';
import { checkLab } from './us-core-lab.ts';
import { checkVitalSign } from './vital-signs.ts';

export const PROFILES = {
  'vital-signs': [checkVitalSign],
  'us-core-lab': [checkLab],
} as const satisfies Record<string, readonly ProfileRule[]>;

export type ProfileName = keyof typeof PROFILES;

export const PROFILE_NAMES: readonly ProfileName[] = ['vital-signs', 'us-core-lab'];
