import type { ProfileRule } from '../runtime/context.ts';

export type ProfileName = 'vital-signs' | 'us-core-lab';

export const PROFILES: Readonly<Record<ProfileName, readonly ProfileRule[]>> = {
  'vital-signs': [],
  'us-core-lab': [],
};
