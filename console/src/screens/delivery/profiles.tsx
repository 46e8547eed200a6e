import type { ValueOf } from '../../api/ask.ts';

type Resource = Pick<ValueOf<'deliveries.explain'>['resources'][number], 'profiles' | 'profileFindings'>;

/** The last part of an address, which people know a profile by. */
const nameOf = (profile: string): string => profile.slice(profile.lastIndexOf('/') + 1);

/** The profiles that the EHR asks of a resource, and what it misses of them. */
export function Profiles({ of: { profiles, profileFindings } }: { readonly of: Resource }) {
  return (
    <>
      {profiles.map((profile) => (
        <div key={profile}>
          <code title={profile}>{nameOf(profile)}</code>
        </div>
      ))}
      {profileFindings.map(({ rule, at, profile, text }) => (
        <div key={`${rule} ${at} ${profile ?? ''}`} className="small bad" title={profile ?? undefined}>
          <code>{rule}</code> at <code>{at}</code>: {text}
        </div>
      ))}
    </>
  );
}
