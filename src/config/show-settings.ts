import { KEYS, type Key } from './keys.ts';
import { readFileKeys, type Environment, type ReadText } from './read-values.ts';

/** A setting as it is in force. Of a secret nothing is told but whether it is set. */
export interface ShownSetting {
  readonly key: string;
  readonly about: string;
  readonly value:
    { readonly kind: 'secret'; readonly isSet: boolean } | { readonly kind: 'plain'; readonly text: string | null };
  /** `file`: the one that CHARTGATE_CONFIG names. `none`: it is not set, and has no default. */
  readonly from: 'environment' | 'file' | 'default' | 'none';
}

/** Every setting, in the order of docs/configuration.md. */
export function showSettings(env: Environment, readText: ReadText): ShownSetting[] {
  const given = (of: Environment, name: string): string | undefined => (of[name] === '' ? undefined : of[name]);
  const file: Environment = readFileKeys(env, readText, []);
  return Object.entries<Key>(KEYS).map(([key, { about, standard, isSecret }]) => {
    const named = (of: Environment): string | undefined => given(of, key) ?? given(of, `${key}_FILE`);
    const from =
      named(env) !== undefined
        ? 'environment'
        : named(file) !== undefined
          ? 'file'
          : standard === null
            ? 'none'
            : 'default';
    const value =
      isSecret === true
        ? ({ kind: 'secret', isSet: from !== 'none' } as const)
        : ({ kind: 'plain', text: given(env, key) ?? given(file, key) ?? standard } as const);
    return { key, about, value, from };
  });
}
