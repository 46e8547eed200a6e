import { actorOf, append } from '../../audit/index.ts';
import { all, among, fragment, run, type CommandContext, type Program } from '../../store/index.ts';
import type { IdentityReads, IdentityWrites } from '../commands.ts';
import { mrnIndexOf, sealRestricted, toRestricted } from '../rows.ts';

type Restrict = IdentityWrites['identity.restrict'];

/** A patient is marked, or no longer. What was so already is recorded too: somebody asked for it. */
export function* restrict(
  context: CommandContext,
  { patient, to, reason, ...act }: Restrict['args'],
): Program<Restrict['out']> {
  const { tenant, at, requestId, actor } = act;
  const index = mrnIndexOf(context.vault, patient);
  const changed =
    to === 'restricted'
      ? yield* run`
          INSERT INTO restricted_patient (tenant, mrn_index, mrn_sealed, actor, made_at)
          VALUES (${tenant}, ${index}, ${sealRestricted(context.vault, patient)}, ${actor}, ${at.getTime()})
          ON CONFLICT DO NOTHING`
      : yield* run`DELETE FROM restricted_patient WHERE tenant = ${tenant} AND mrn_index = ${index}`;
  const why = to === 'restricted' ? 'restrict' : 'unrestrict';
  const toSeal = { patient: { system: patient.mrnSystem, mrn: patient.mrn } };
  const said = { ...actorOf(act), why, to, ...(reason === null ? {} : { reason }) };
  yield* append(context, [{ at, type: 'admin', tenant, requestId, action: 'U', outcome: '0', toSeal, ...said }]);
  return changed === 1 ? 'changed' : 'unchanged';
}

type Among = IdentityReads['identity.restricted-among'];

export function* restrictedAmong(
  { vault }: Pick<CommandContext, 'vault'>,
  { tenant, patients }: Among['args'],
): Program<Among['out']> {
  if (patients.length === 0) return [];
  const byIndex = new Map(patients.map((patient) => [mrnIndexOf(vault, patient).toString('hex'), patient]));
  const rows = yield* all`
    SELECT mrn_index FROM restricted_patient
    WHERE tenant = ${tenant} AND mrn_index ${among('bytea', [...byIndex.keys()])}`;
  return rows.flatMap((row) => byIndex.get(Buffer.from(row['mrn_index'] as Uint8Array).toString('hex')) ?? []);
}

type List = IdentityReads['identity.restricted'];

export function* listRestricted(
  { vault }: Pick<CommandContext, 'vault'>,
  { tenant, before, limit }: List['args'],
): Program<List['out']> {
  const below = before === null ? fragment`` : fragment`AND seq < ${before}`;
  const rows = yield* all`
    SELECT seq, mrn_index, mrn_sealed, actor, made_at FROM restricted_patient
    WHERE tenant = ${tenant} ${below} ORDER BY seq DESC LIMIT ${limit}`;
  return rows.map((row) => toRestricted(row, vault));
}
