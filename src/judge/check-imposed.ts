import type { Dialect, Mappings, Problem } from '../mappings/index.ts';
import type { ProfileSet } from '../r4/index.ts';

/** The dialects that a setting may bring into force: with `auto` any, by what the EHR says of itself. */
const inForceBy = (setting: string, { dialects }: Pick<Mappings, 'dialects'>): readonly Dialect[] =>
  [...dialects.values()].filter(({ name }) => setting === 'auto' || name === setting);

/**
 * What a dialect asks for must be loaded, or nothing would be checked and nobody would know. A dialect that the setting
 * does not choose may ask for what another gateway has.
 */
export function checkImposed(
  setting: string,
  mappings: Pick<Mappings, 'dialects'>,
  profiles: ProfileSet | null,
): Problem[] {
  return inForceBy(setting, mappings).flatMap(({ row: file, profiles: rows }) =>
    rows.flatMap(({ type, profile }, i): Problem[] => {
      const row = `${file}#profiles[${i}]`;
      const found = profiles?.find(profile);
      if (found === undefined) return [{ row, text: `${profile} is of no guide that is loaded` }];
      return found.type === type ? [] : [{ row, text: `${profile} is for ${found.type}, not for ${type}` }];
    }),
  );
}
