import { AlertIcon, PersonIcon } from '@primer/octicons-react';
import type { ValueOf } from '../api/ask.ts';

type Preview = ValueOf<'links.preview'>;

const WHY_NOT: Readonly<Record<Exclude<Preview['found'], 'one'>, string>> = {
  none: 'The EHR has nobody with this MRN. Look whether it is written to the letter, zeros and case included.',
  several: 'The EHR has several patients with this MRN. It must be mended there first.',
  inactive: 'The EHR’s patient with this MRN is not active.',
  merged: 'The chart with this MRN was merged into one that cannot be found.',
  unverified: 'The EHR answered with somebody else than was asked for. Look at its settings.',
};

/** Whom the EHR has under an MRN, so that a person sees whether it is the right one. */
export function PatientPreview({ of: { found, patient, linkedUsers } }: { readonly of: Preview }) {
  if (found !== 'one' || patient === null)
    return (
      <p className="note warn">
        <AlertIcon size={16} aria-hidden /> {WHY_NOT[found === 'one' ? 'unverified' : found]}
      </p>
    );
  return (
    <div className="person">
      <PersonIcon size={24} aria-hidden />
      <div>
        <strong>{patient.name ?? 'No name at the EHR'}</strong>
        <div>
          Born {patient.birthDate ?? 'on a day that the EHR does not say'} · {patient.gender ?? 'gender not said'}
        </div>
        {patient.isDeceased ? <div className="warn">The EHR has this patient as deceased.</div> : null}
        {patient.isMerged ? (
          <div className="warn">The MRN is of a chart that was merged into this patient’s.</div>
        ) : null}
        <div className="small quiet">
          {linkedUsers === 0
            ? 'No user of the source is linked to this patient yet.'
            : `${linkedUsers} ${linkedUsers === 1 ? 'user is' : 'users are'} linked to this patient already.`}
        </div>
      </div>
    </div>
  );
}
