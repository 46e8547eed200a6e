import { faultFields, ok, safeError, type Clock, type Log, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { Anchor } from './anchor.ts';
import type { AuditReads, AuditWrites, Uncovered } from './commands.ts';
import { addLeaves, EMPTY, packFrontier, rootOf, unpackFrontier, type Frontier } from './merkle.ts';
import { goesOnWith, noteDigest, readNote, writeNote, type Checkpoint, type Head } from './note.ts';
import type { SigningKey } from './signing-key.ts';

const EVERY_MS = 60_000;
const LOOK_MS = 1_000;
/** About as many records: a command writes one, and seldom several. */
const COMMANDS = 250;
const AT_ONCE = 50_000;
const TRIES = 5;

/** How far each chain of these records has come. */
export function headsOf(records: Uncovered['records']): Head[] {
  const heads = new Map<string, Head>();
  for (const { chain, seq, link } of records) heads.set(chain, { chain, seq, link });
  return [...heads.values()];
}

export interface AuditStanding {
  readonly signedAgoMs: number;
  readonly anchor: 'none' | 'written' | 'failing';
}

export type Checkpointed = { readonly n: number; readonly note: string; readonly rest: 'none' | 'more' } | null;

/**
 * The tree that the last checkpoint closed. Only what our own key signed is gone on from, and only as it was signed.
 */
function treeOf(last: Uncovered['last'], signer: SigningKey): Frontier {
  if (last === null) return EMPTY;
  const read = readNote(last.note, signer);
  if ('wrong' in read || !goesOnWith(last.note, signer))
    throw new Error(
      'the last checkpoint of the audit was signed by another key, which this process does not go on from',
    );
  const tree = unpackFrontier(last.records, last.frontier);
  if (tree === null || Buffer.compare(rootOf(tree), read.checkpoint.root) !== 0)
    throw new Error('the last checkpoint of the audit is damaged; run: chartgate audit verify');
  return tree;
}

/**
 * One more checkpoint over all that has none; null where there is nothing new and nothing to name. `from`: the key that
 * gives way to `key` by this checkpoint.
 */
export async function makeCheckpoint(
  deps: { readonly audit: Operate<AuditWrites, AuditReads>; readonly key: SigningKey; readonly clock: Clock },
  exported: Checkpoint['exported'] = null,
  from: SigningKey | null = null,
  journaled: 'too' | 'later' = 'too',
): Promise<Result<Checkpointed>> {
  const asked = { limit: AT_ONCE, ...(journaled === 'too' ? { journaled } : {}) };
  for (let tries = 1; ; tries += 1) {
    const uncovered = await deps.audit.read('audit.uncovered', asked);
    if (!uncovered.ok) return uncovered;
    const { last, records } = uncovered.value;
    if (records.length === 0 && exported === null && from === null) return ok(null);
    // Another replica was first with the change of the key.
    if (from !== null && last !== null && goesOnWith(last.note, deps.key)) return ok(null);
    const frontier = addLeaves(
      treeOf(last, from ?? deps.key),
      records.map(({ leaf }) => leaf),
    );
    const at = deps.clock.now();
    const n = (last?.n ?? 0) + 1;
    const heads = headsOf(records);
    const previous = last === null ? null : noteDigest(last.note);
    const rotated = from === null ? null : { from, to: deps.key };
    const note = writeNote(
      { n, at, records: frontier.size, root: rootOf(frontier), heads, previous, exported, rotated },
      from === null ? [deps.key] : [deps.key, from],
    );
    const stored = await deps.audit.write('audit.checkpoint', {
      n,
      at,
      records: frontier.size,
      note,
      frontier: packFrontier(frontier),
      heads: heads.map(({ chain, seq }) => ({ chain, seq })),
    });
    if (!stored.ok) return stored;
    if (stored.value === 'stored') return ok({ n, note, rest: records.length < AT_ONCE ? 'none' : 'more' });
    // Another replica was first, and may have covered all of it.
    if (tries === TRIES) return ok(null);
  }
}

/**
 * Signs a checkpoint at the start, over what the last life left, then every minute or some hundred records, and at the
 * end, and anchors it. Each holds all before it, so a checkpoint that could not be anchored is made good by the next.
 */
export function signCheckpoints(deps: {
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly key: SigningKey;
  readonly anchor: Anchor | null;
  readonly clock: Clock;
  readonly log: Log;
  /** How many commands the store has carried out so far. */
  readonly commands: () => number;
}) {
  let lastMs = deps.clock.monotonicMs();
  let lastCommands = deps.commands();
  let running: Promise<void> | null = null;
  let isStopped = false;
  let signedMs = lastMs;
  let isAnchorFailing = false;

  async function anchor(made: NonNullable<Checkpointed>): Promise<void> {
    try {
      await deps.anchor?.(made);
      isAnchorFailing = false;
    } catch (thrown) {
      isAnchorFailing = true;
      deps.log.error('audit.unanchored', { count: made.n, error: safeError(thrown) });
    }
  }

  async function once(journaled: 'too' | 'later'): Promise<void> {
    try {
      lastMs = deps.clock.monotonicMs();
      lastCommands = deps.commands();
      for (;;) {
        const made = await makeCheckpoint(deps, null, null, journaled);
        if (!made.ok) {
          deps.log.warn('audit.unsigned', faultFields(made.fault));
          return;
        }
        if (made.value !== null) await anchor(made.value);
        if (made.value?.rest === 'more') continue;
        signedMs = deps.clock.monotonicMs();
        return;
      }
    } catch (thrown) {
      deps.log.error('audit.unsigned', { error: safeError(thrown) });
    }
  }

  function run(journaled: 'too' | 'later' = 'too'): Promise<void> {
    running ??= once(journaled).finally(() => (running = null));
    return running;
  }

  function look(): void {
    if (isStopped || running !== null) return;
    if (deps.clock.monotonicMs() - lastMs >= EVERY_MS || deps.commands() - lastCommands >= COMMANDS) void run('later');
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    run,
    anchor,
    /** How long ago nothing was left to sign, and whether the last checkpoint of this process stands outside. */
    standing: (): AuditStanding => ({
      signedAgoMs: deps.clock.monotonicMs() - signedMs,
      anchor: deps.anchor === null ? 'none' : isAnchorFailing ? 'failing' : 'written',
    }),
    /** A life that ends a moment later, by whatever, leaves nothing of the one before it unsigned. */
    async start(): Promise<void> {
      await run();
      timer = setInterval(look, LOOK_MS).unref();
    },
    /** The last one, over everything that was recorded until now. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await running;
      await run();
    },
  };
}
export type Checkpoints = ReturnType<typeof signCheckpoints>;
