import { auditSet, SourceLost, storeSource, verifyAudit, type Verified, type VerifyingKey } from '../audit/index.ts';
import type { DatabaseConfig } from '../config/index.ts';
import { inboxSet, type LedgerCounts } from '../inbox/index.ts';
import { StartError, type Result } from '../kernel/index.ts';
import { addsUp } from '../ops/index.ts';
import { findKeyProblem, openForReading, storeSet, type StoreKeys } from '../store/index.ts';
import { TENANT } from '../gateway/index.ts';
import { verifiedText } from './audit-report.ts';

export interface CopyReport {
  readonly sound: boolean;
  readonly database: { readonly id: string; readonly environment: string; readonly schema: number };
  /** What the engine's own checks found. */
  readonly flaws: readonly string[];
  /** `counted`: the same row by row, which must agree. */
  readonly ledger: { readonly addsUp: boolean; readonly counts: LedgerCounts; readonly counted: LedgerCounts };
  readonly audit: Verified;
  /** Whether the keys at hand would open it; the sentence of a start that is refused where they would not. */
  readonly keys: { readonly fit: boolean | null; readonly problem: string | null };
}

export interface CheckWith {
  readonly auditKeys: readonly VerifyingKey[];
  /** Null where none are at hand: then whether they fit is not known. */
  readonly keys: StoreKeys | null;
  readonly environment: 'production' | 'sandbox';
}

function known<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new StartError(
    'store.unreadable',
    `The database cannot be read (${result.fault.code}): it is damaged, or not one of ours.`,
  );
}

const isSame = (a: LedgerCounts, b: LedgerCounts): boolean =>
  a.acknowledged === b.acknowledged &&
  Object.entries(a.byState).every(([state, n]) => b.byState[state as keyof typeof b.byState] === n);

/**
 * Opens a database without touching it and looks at everything that can be proven. Throws a StartError where it cannot
 * be opened or read.
 */
export async function checkCopy(database: DatabaseConfig, by: CheckWith): Promise<CopyReport> {
  const store = await openForReading(database, [storeSet, auditSet, inboxSet]);
  try {
    const own = store.use(storeSet);
    const inbox = store.use(inboxSet);
    const about = known(await own.read('store.about', null));
    if (about === null) throw new StartError('store.unreadable', 'This is not a database of the gateway.');
    const flaws = known(await own.read('store.flaws', null));
    const counts = known(await inbox.read('inbox.ledger', { tenant: TENANT }));
    const counted = known(await inbox.read('inbox.recount', { tenant: TENANT }));
    const audit = await verifyAudit(storeSource(store.use(auditSet)), by.auditKeys);
    const problem = by.keys === null ? null : findKeyProblem(about, by.keys, by.environment);
    const ledger = { addsUp: addsUp(counts) && isSame(counts, counted), counts, counted };
    return {
      sound: flaws.length === 0 && ledger.addsUp && audit.sound && problem === null,
      database: { id: about.id, environment: about.environment, schema: about.schema },
      flaws,
      ledger,
      audit,
      keys: { fit: by.keys === null ? null : problem === null, problem: problem?.message ?? null },
    };
  } catch (thrown) {
    if (!(thrown instanceof SourceLost)) throw thrown;
    throw new StartError('store.unreadable', `The database stopped answering (${thrown.result.fault.code}).`, thrown);
  } finally {
    await store.close();
  }
}

const KEYS_TEXT = { true: 'fit', false: 'DO NOT FIT', null: 'not given, so not tried' } as const;

/** What was looked at, for people. */
export function copyText({ database, flaws, ledger, audit, keys }: CopyReport): string {
  const { counts, counted } = ledger;
  const words = ledger.addsUp
    ? `adds up, ${counts.acknowledged} acknowledged`
    : `DOES NOT ADD UP: ${counts.acknowledged} acknowledged, ${counted.acknowledged} counted`;
  return [
    `database   ${database.id}, ${database.environment}, schema ${database.schema}`,
    `file       ${flaws.length === 0 ? 'sound' : `NOT SOUND\n${flaws.map((flaw) => `             ${flaw}`).join('\n')}`}`,
    `ledger     ${words}`,
    `keys       ${KEYS_TEXT[`${keys.fit}`]}${keys.problem === null ? '' : `: ${keys.problem}`}`,
    `audit      ${verifiedText(audit)}`,
  ].join('\n');
}
