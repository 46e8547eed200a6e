import { dirname } from 'node:path';
import { StartError, faultFields, type Clock, type Log, type Secret } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { fileAnchor, folderOf, readAnchored } from './anchor.ts';
import { checkSegments } from './check-segments.ts';
import type { AuditReads, AuditWrites } from './commands.ts';
import { signCheckpoints, makeCheckpoint } from './sign-checkpoints.ts';
import { exportSegments } from './export-segments.ts';
import { goesOnWith } from './note.ts';
import type { AuditDraft, AuditRecord } from './record.ts';
import { changedSettings, settingsDigests } from './settings-digest.ts';
import { makeSigningKey, type SigningKey } from './signing-key.ts';
import type { Verified } from './verify.ts';

export interface AuditDeps {
  readonly tenant: string;
  readonly instance: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  /** The one that signs first; then, for the start that changes it, the one that signed until now. */
  readonly auditKeys: readonly Secret[];
  /** A file or folder outside the database; null for none. */
  readonly anchor: string | null;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Everything that was configured. */
  readonly settings: object;
  /** How many commands the store has carried out so far. */
  readonly commands: () => number;
}

/** The key that has signed until now and gives way to `key`; null where it is `key` itself. */
function giverOf(note: string, key: SigningKey, older: readonly SigningKey[]): SigningKey | null {
  if (goesOnWith(note, key)) return null;
  const giving = older.find((one) => goesOnWith(note, one));
  if (giving !== undefined) return giving;
  throw new StartError(
    'audit.key',
    'CHARTGATE_AUDIT_KEY is not the key that the audit of this database was signed with. Give that one; to change it, give "new,old".',
  );
}

/**
 * The key that gives way to the first of these; null where it signed last itself. Throws a StartError where none of
 * them did.
 */
export async function checkAuditKeys(
  audit: Pick<Operate<AuditWrites, AuditReads>, 'read'>,
  auditKeys: readonly Secret[],
): Promise<SigningKey | null> {
  const [key, ...older] = auditKeys.map(makeSigningKey);
  if (key === undefined) throw new Error('the audit needs a key');
  const signed = await audit.read('audit.uncovered', { limit: 1 });
  return signed.ok && signed.value.last !== null ? giverOf(signed.value.last.note, key, older) : null;
}

/**
 * The life of the audit beside its records: that the process began and ended and with which settings, checkpoints, and
 * what happens to old records. Its start throws a StartError where the beginning cannot be recorded.
 */
export function runAudit(deps: AuditDeps) {
  const { audit, clock, log, anchor } = deps;
  const [key] = deps.auditKeys.map(makeSigningKey);
  if (key === undefined) throw new Error('the audit needs a key');
  const base = (): Pick<AuditDraft, 'at' | 'tenant' | 'requestId' | 'action' | 'outcome' | 'actor' | 'version'> => ({
    at: clock.now(),
    tenant: deps.tenant,
    requestId: deps.instance,
    action: 'E',
    outcome: '0',
    actor: 'gateway',
    version: deps.version,
  });
  const checkpoints = signCheckpoints({ ...deps, key, anchor: anchor === null ? null : fileAnchor(anchor) });
  const segments = exportSegments({
    ...deps,
    key,
    folder: async () => (anchor === null ? null : ((await folderOf(anchor)) ?? dirname(anchor))),
    days: deps.retentionDays,
    checkpoints,
  });
  let isBegun = false;

  async function recordBegin(): Promise<void> {
    const last = await audit.read('audit.last', { tenant: deps.tenant, type: 'config' });
    const settings = settingsDigests(deps.settings);
    const before = last.ok && last.value !== null ? (JSON.parse(last.value) as AuditRecord).settings : undefined;
    const changed = before === undefined ? [] : changedSettings(before, settings);
    const begun = last.ok
      ? await audit.write('audit.append-many', [
          {
            ...base(),
            type: 'config',
            settings,
            changed,
            why: before === undefined ? 'first' : changed.length > 0 ? 'changed' : 'same',
          },
          { ...base(), type: 'process', to: 'started' },
        ])
      : last;
    if (!begun.ok)
      throw new StartError(
        'audit.unavailable',
        'The start could not be put into the audit, so nothing is served. Look at the database.',
      );
    isBegun = true;
  }

  async function changeKey(to: SigningKey, giving: SigningKey): Promise<void> {
    const made = await makeCheckpoint({ audit, key: to, clock }, null, giving);
    if (!made.ok)
      throw new StartError(
        'audit.unavailable',
        'The new audit key could not be put into the audit, so nothing is served.',
      );
    if (made.value !== null) await checkpoints.anchor(made.value);
    log.info('audit.key-changed', { count: made.value?.n ?? 0 });
  }

  return {
    key,
    standing: checkpoints.standing,
    /** What stands outside: the checkpoints, and the segments that they name. Null where nothing does. */
    outside:
      anchor === null
        ? null
        : {
            notes: () => readAnchored(anchor),
            checkSegments: (named: Verified['segments']) => checkSegments(anchor, named),
          },
    async start(): Promise<void> {
      const giving = await checkAuditKeys(audit, deps.auditKeys);
      await recordBegin();
      if (giving !== null) await changeKey(key, giving);
      await checkpoints.start();
      segments.start();
    },
    /**
     * Records the end and signs over everything; what comes after it is not recorded by this process. A process whose
     * beginning is not recorded has no end either.
     */
    async stop(): Promise<void> {
      segments.stop();
      if (!isBegun) return;
      const ended = await audit.write('audit.append', { ...base(), type: 'process', to: 'stopped' });
      if (!ended.ok) log.error('audit.lost', { ...faultFields(ended.fault), count: 1 });
      await checkpoints.stop();
    },
  };
}
export type KeptAudit = ReturnType<typeof runAudit>;
