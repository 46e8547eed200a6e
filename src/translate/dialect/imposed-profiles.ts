import type { Dialect, ImposedProfile } from '../../mappings/index.ts';
import { listOf, partOf, type Part } from '../parts.ts';

/** Some elements are one concept in R4 and a list of them in another type. */
const hasCode = (concepts: unknown, code: string): boolean =>
  (Array.isArray(concepts) ? listOf(concepts) : [partOf(concepts)]).some((concept) =>
    listOf(partOf(concept)['coding']).some((coding) => partOf(coding)['code'] === code),
  );

const fits = ({ type, category, code }: ImposedProfile, resource: Part): boolean =>
  resource['resourceType'] === type &&
  (category === null || hasCode(resource['category'], category)) &&
  (code === null || hasCode(resource['code'], code));

/** A code says more than a category, and a category more than the type alone. */
const specificityOf = ({ category, code }: ImposedProfile): number =>
  (code === null ? 0 : 2) + (category === null ? 0 : 1);

function rowsFor({ profiles }: Pick<Dialect, 'profiles'>, resource: Part): readonly ImposedProfile[] {
  const fitting = profiles.filter((row) => fits(row, resource));
  const most = Math.max(...fitting.map(specificityOf));
  return fitting.filter((row) => specificityOf(row) === most);
}

const eachOnce = (rows: readonly ImposedProfile[]): string[] => [...new Set(rows.map(({ profile }) => profile))];

const NO_PROFILES: readonly string[] = [];

/** The profiles that the EHR asks of a resource: those of the most specific rows that fit it. */
export const imposedProfiles = (dialect: Pick<Dialect, 'profiles'>, resource: Part): readonly string[] =>
  dialect.profiles.length === 0 ? NO_PROFILES : eachOnce(rowsFor(dialect, resource));

/** Those of them that what goes out names in `meta.profile`. */
export const claimedProfiles = (dialect: Pick<Dialect, 'profiles'>, resource: Part): readonly string[] =>
  dialect.profiles.length === 0
    ? NO_PROFILES
    : eachOnce(rowsFor(dialect, resource).filter(({ claim }) => claim === 'write'));
