import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  auditSet,
  checkSegments,
  makeSigningKey,
  parseVerifyingKey,
  readAnchored,
  readExport,
  SourceLost,
  storeSource,
  verifyAudit,
  type Verified,
  type VerifyingKey,
} from '../audit/index.ts';
import { toDatabase, type Environment } from '../config/index.ts';
import { errorCode, secret, StartError } from '../kernel/index.ts';
import { openForReading } from '../store/index.ts';
import type { Terminal } from './command.ts';

/** The public halves of the keys in the environment, the one that signs first. */
export function keysFrom(env: Environment): readonly VerifyingKey[] {
  const file = env['CHARTGATE_AUDIT_KEY_FILE'];
  try {
    const given = env['CHARTGATE_AUDIT_KEY'] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
    return (given ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => makeSigningKey(secret(one)));
  } catch (thrown) {
    throw new StartError('cli.audit-key', 'The file that CHARTGATE_AUDIT_KEY_FILE names cannot be read.', thrown);
  }
}

type Done = { readonly verified: Verified } | { readonly wrong: string };

async function verifyFile(
  file: string,
  keys: readonly VerifyingKey[],
  notes: readonly string[],
  { stdin }: Terminal,
): Promise<Done> {
  try {
    const input = file === '-' ? stdin : createReadStream(file, 'utf8');
    const read = await readExport(createInterface({ input, crlfDelay: Infinity }));
    if ('bad' in read) return { wrong: `Line ${read.bad} of the export cannot be read. Export with --form records.` };
    return { verified: await verifyAudit(read.source, keys, notes) };
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return { wrong: `The export cannot be read (${errorCode(thrown) ?? ''}).` };
  }
}

async function verifyDatabase(url: string, keys: readonly VerifyingKey[], notes: readonly string[]): Promise<Done> {
  const store = await openForReading(toDatabase(url), [auditSet]);
  try {
    return { verified: await verifyAudit(storeSource(store.use(auditSet)), keys, notes) };
  } catch (thrown) {
    if (!(thrown instanceof SourceLost)) throw thrown;
    throw new StartError('store.unreadable', `The database stopped answering (${thrown.result.fault.code}).`, thrown);
  } finally {
    await store.close();
  }
}

/**
 * Needs nothing but what it looks at, the public key and, to be sure of the end, a checkpoint that was kept elsewhere.
 */
export async function verifyOffline(
  given: {
    readonly database: string | null;
    readonly file: string | null;
    readonly key: string | null;
    readonly checkpoint: string | null;
  },
  terminal: Terminal,
): Promise<Done> {
  const read = given.key === null ? keysFrom(terminal.env) : given.key.split(',').map(parseVerifyingKey);
  const keys = read.filter((one) => one !== null);
  if (read.length === 0 || keys.length < read.length)
    return {
      wrong: given.key === null ? 'Give the public key with --key.' : 'The key is not one that "audit key" told.',
    };
  let notes: readonly string[] = [];
  try {
    if (given.checkpoint !== null) notes = await readAnchored(given.checkpoint);
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return { wrong: `The checkpoint cannot be read (${errorCode(thrown) ?? ''}).` };
  }
  if (given.checkpoint !== null && notes.length === 0) return { wrong: 'There is no checkpoint at that path.' };
  if (given.file !== null) return verifyFile(given.file, keys, notes, terminal);
  const done = await verifyDatabase(given.database ?? '', keys, notes);
  if (given.checkpoint === null || 'wrong' in done || !done.verified.sound) return done;
  const flaw = await checkSegments(given.checkpoint, done.verified.segments);
  return flaw === null ? done : { verified: { ...done.verified, sound: false, flaw } };
}
