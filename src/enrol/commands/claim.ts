import type { SourceUser } from '../../identity/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { isSameUser, openClaim, patientIndexOf, sealClaim } from '../rows.ts';

export function* claim(
  { vault }: CommandContext,
  { tenant, user, instead, ...patient }: EnrolWrites['enrol.claim']['args'],
): Program<SourceUser> {
  const index = patientIndexOf(vault, patient);
  const sealed = sealClaim(vault, index, user);
  // Waits for whoever is about to put one down.
  yield* run`
    INSERT INTO enrolled_patient (tenant, mrn_index, user_sealed) VALUES (${tenant}, ${index}, ${sealed})
    ON CONFLICT (tenant, mrn_index) DO NOTHING`;
  const row = yield* get`
    SELECT user_sealed FROM enrolled_patient WHERE tenant = ${tenant} AND mrn_index = ${index} ${FOR_UPDATE}`;
  const held = openClaim(vault, index, row?.['user_sealed']);
  if (!isSameUser(held, instead)) return held;
  yield* run`UPDATE enrolled_patient SET user_sealed = ${sealed} WHERE tenant = ${tenant} AND mrn_index = ${index}`;
  return user;
}
