import { dirname } from 'node:path';
import { StartError, faultFields, type Clock, type Log, type Secret } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { fileAnchor, folderOf, readAnchored } from './anchor.ts';
import type { AuditReads, AuditWrites } from './commands.ts';
import { keepCheckpoints } from './keep-checkpoints.ts';
import { keepSegments } from './keep-segments.ts';
import { readNote } from './note.ts';
import type { AuditDraft, AuditRecord } from './record.ts';
import { changedSettings, settingsDigests } from './settings-digest.ts';
import { makeSigningKey } from './signing-key.ts';

export interface AuditDeps {
  readonly tenant: string;
  readonly instance: string;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly auditKey: Secret;
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

/**
 * The life of the audit beside its records: that the process began and ended and with which settings, checkpoints, and what happens to old
 * records. Throws a StartError where the beginning cannot be recorded.
 */
export async function keepAudit(deps: AuditDeps) {
  const { audit, clock, log, anchor } = deps;
  const key = makeSigningKey(deps.auditKey);
  const base = (): Pick<AuditDraft, 'at' | 'tenant' | 'requestId' | 'action' | 'outcome' | 'actor' | 'version'> => ({
    at: clock.now(),
    tenant: deps.tenant,
    requestId: deps.instance,
    action: 'E',
    outcome: '0',
    actor: 'gateway',
    version: deps.version,
  });

  const signed = await audit.read('audit.uncovered', { limit: 1 });
  if (signed.ok && signed.value.last !== null && 'wrong' in readNote(signed.value.last.note, key))
    throw new StartError(
      'audit.key',
      'CHARTGATE_AUDIT_KEY is not the key that the audit of this database was signed with. Give that one: with two, nobody could prove it.',
    );
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

  const checkpoints = keepCheckpoints({ ...deps, key, anchor: anchor === null ? null : fileAnchor(anchor) });
  const folder = anchor === null ? null : ((await folderOf(anchor)) ?? dirname(anchor));
  const segments = keepSegments({ ...deps, key, folder, days: deps.retentionDays, checkpoints });

  return {
    key,
    /** The checkpoints that stand outside; null where none do. */
    anchored: anchor === null ? null : () => readAnchored(anchor),
    checkpoint: checkpoints.run,
    closeSegments: segments.close,
    /** Records the end and signs over everything; what comes after it is not recorded by this process. */
    async stop(): Promise<void> {
      segments.stop();
      const ended = await audit.write('audit.append', { ...base(), type: 'process', to: 'stopped' });
      if (!ended.ok) log.error('audit.lost', { ...faultFields(ended.fault), count: 1 });
      await checkpoints.stop();
    },
  };
}
export type KeptAudit = Awaited<ReturnType<typeof keepAudit>>;
