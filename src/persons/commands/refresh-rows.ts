import { openPatient } from '../../identity/index.ts';
import {
  all,
  among,
  FOR_UPDATE,
  FOR_UPDATE_OF_FREE,
  get,
  patientIndex,
  send,
  words,
  type CommandContext,
  type Part,
  type Program,
} from '../../store/index.ts';
import type { PersonWrites, ReadPerson } from '../commands.ts';
import { hexOf, openFacts, openText, sealFacts, textOf } from '../rows.ts';
import { nextVersion } from './follow-link.ts';

const NOT_HELD = words('');

type Claim = PersonWrites['persons.claim'];

export function* claim(
  { vault }: CommandContext,
  { tenant, atMs, leaseMs, limit }: Claim['args'],
): Program<Claim['out']> {
  const rows = yield* all`
    SELECT mrn_index, version FROM person WHERE tenant = ${tenant} AND due_at IS NOT NULL AND due_at <= ${atMs}
    ORDER BY due_at LIMIT ${limit} ${FOR_UPDATE_OF_FREE}`;
  if (rows.length === 0) return [];
  const indexes = among('bytea', rows.map(hexOf));
  yield* send`UPDATE person SET due_at = ${atMs + leaseMs} WHERE tenant = ${tenant} AND mrn_index ${indexes}`;
  const links = yield* all`
    SELECT id, mrn_index, mrn_sealed FROM link
    WHERE tenant = ${tenant} AND mrn_index ${indexes} AND status = 'confirmed'`;
  const found = new Map(links.map((row) => [hexOf(row), openPatient(vault, row).mrn]));
  return rows.flatMap((row) => {
    const mrnIndex = hexOf(row);
    const mrn = found.get(mrnIndex);
    return mrn === undefined ? [] : [{ mrnIndex, mrn, version: Number(row['version']) }];
  });
}

/** Whether it is kept: not where something became known after the EHR was asked. Written where it is something new. */
function* keepOne(
  { vault }: CommandContext,
  tenant: string,
  { mrnIndex, facts, version: versionBefore }: ReadPerson,
  version: number,
): Program<boolean> {
  const index = Buffer.from(mrnIndex, 'hex');
  const row = yield* get`
    SELECT mrn_index, facts_sealed, version, gone_at FROM person
    WHERE tenant = ${tenant} AND mrn_index = ${index} ${FOR_UPDATE}`;
  if (row === undefined || row['gone_at'] !== null || Number(row['version']) !== versionBefore) return false;
  const text = textOf(facts);
  if (openText(vault, row) === text) return true;
  yield* send`
    UPDATE person SET facts_sealed = ${sealFacts(vault, mrnIndex, text)}, version = ${version}
    WHERE tenant = ${tenant} AND mrn_index = ${index} AND gone_at IS NULL`;
  return true;
}

type Put = PersonWrites['persons.put'];

export function* put(
  context: CommandContext,
  { tenant, read, dueAtMs, leasedUntilMs }: Put['args'],
): Program<Put['out']> {
  // Before any row: who changes a link holds the number first, too, and nobody waits in a circle.
  const version = yield* nextVersion(tenant);
  const kept: string[] = [];
  for (const one of read) if (yield* keepOne(context, tenant, one, version)) kept.push(one.mrnIndex);
  yield* send`
    UPDATE person SET due_at = ${dueAtMs}
    WHERE tenant = ${tenant} AND mrn_index ${among('bytea', kept)} AND gone_at IS NULL
      AND due_at = ${leasedUntilMs}`;
  return null;
}

type Notice = PersonWrites['persons.notice'];

/** The rows of these MRNs that say something else of this Patient, with what they are to say. */
function* othersThan(
  { vault }: CommandContext,
  { tenant, mrnSystem, mrns, facts }: Notice['args'],
  hold: Part,
): Program<readonly { readonly mrnIndex: string; readonly text: string }[]> {
  const indexes = mrns.map((mrn) => patientIndex(vault, mrnSystem, mrn).toString('hex'));
  const rows = yield* all`
    SELECT mrn_index, facts_sealed FROM person
    WHERE tenant = ${tenant} AND mrn_index ${among('bytea', indexes)} AND gone_at IS NULL ${hold}`;
  return rows.flatMap((row) => {
    const known = openFacts(vault, row);
    const isKnown = known.some(({ id }) => id === facts.id);
    const text = textOf(isKnown ? known.map((one) => (one.id === facts.id ? facts : one)) : [...known, facts]);
    return text === openText(vault, row) ? [] : [{ mrnIndex: hexOf(row), text }];
  });
}

export function* notice(context: CommandContext, args: Notice['args']): Program<Notice['out']> {
  // Most that is read is nobody's here, or is known already: nothing is held for those.
  if ((yield* othersThan(context, args, NOT_HELD)).length === 0) return null;
  const version = yield* nextVersion(args.tenant);
  for (const { mrnIndex, text } of yield* othersThan(context, args, FOR_UPDATE))
    yield* send`
      UPDATE person SET facts_sealed = ${sealFacts(context.vault, mrnIndex, text)}, version = ${version}
      WHERE tenant = ${args.tenant} AND mrn_index = ${Buffer.from(mrnIndex, 'hex')} AND gone_at IS NULL`;
  return null;
}
