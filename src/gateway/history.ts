import { createHash } from 'node:crypto';
import { factsOf, type Probed } from '../ehr/index.ts';
import type { Entry, HistoryReads, HistoryWrites, Noted } from '../history/index.ts';
import type { LoadedTranslationContext, Reloaded } from '../judge/index.ts';
import { canonicalJson, faultFields, safeError, type Clock, type Log, type Result } from '../kernel/index.ts';
import { listRows } from '../mappings/index.ts';
import type { Operate } from '../store/index.ts';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
/** Enough to tell two versions of a file apart. */
const short = (digest: string): string => digest.slice(0, 12);

const NOTHING = { version: '', size: 0, facts: {}, problems: [] } as const;

function entryOfProbe(result: Result<Probed>, actor: string): Entry {
  if (!result.ok) return { ...NOTHING, actor, outcome: 'failed', faultCode: result.fault.code };
  const facts = factsOf(result.value);
  const size = Object.keys(result.value.capability.types).length;
  const version = sha256(canonicalJson(facts));
  return { ...NOTHING, actor, outcome: 'ok', faultCode: null, version, size, facts };
}

/** Problems of one load that are kept; of more the first ones tell. */
const PROBLEMS_MAX = 200;

function entryOfLoad(done: Result<Reloaded, string>, { data }: LoadedTranslationContext, actor: string): Entry {
  if (!done.ok) {
    const problems = done.fault.split('\n').map((line) => line.trim());
    return {
      ...NOTHING,
      actor,
      outcome: 'failed',
      faultCode: 'mappings.unsound',
      problems: problems.slice(0, PROBLEMS_MAX),
    };
  }
  const rows = listRows(data.files);
  const countOf = (file: string): number => rows.filter((row) => row.file === file).length;
  const facts = Object.fromEntries([
    ...[...data.files].map(([file, bytes]) => [file, `${countOf(file)} rows, ${short(sha256(bytes))}`]),
    ...[...data.templates.values()].map(({ row, version }) => [row, short(version)]),
    ...data.guides.map(({ content, digest }) => [`${content.name}#${content.version}`, short(digest)]),
  ]) as Record<string, string>;
  return {
    ...NOTHING,
    actor,
    outcome: 'ok',
    faultCode: null,
    version: done.value.version,
    size: rows.length,
    facts,
  };
}

/** Notes what happens now and then, for whoever asks later what has changed. */
export function makeNotes(deps: {
  readonly tenant: string;
  readonly history: Operate<HistoryWrites, HistoryReads>;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { tenant, history, clock, log } = deps;
  let lastProbe: Promise<Result<Noted>> | null = null;

  async function note(list: 'probe' | 'load', entry: Entry): Promise<Result<Noted>> {
    const noted = await history.write('history.note', { tenant, list, at: clock.now(), entry });
    if (!noted.ok) log.warn('history.not-stored', faultFields(noted.fault));
    return noted;
  }
  /** Whoever does not wait for it need not catch anything: a bug of ours is a line and ends nothing. */
  function noteAlone(list: 'probe' | 'load', entry: Entry): Promise<Result<Noted>> {
    const noting = note(list, entry);
    noting.catch((thrown: unknown) => log.error('history.not-stored', { error: safeError(thrown) }));
    return noting;
  }

  return {
    probed(result: Result<Probed>, by: string): void {
      lastProbe = noteAlone('probe', entryOfProbe(result, by));
    },
    /** Resolves once the history tells of it; where it cannot be told, the log says so. */
    async loaded(done: Result<Reloaded, string>, loaded: LoadedTranslationContext, by: string): Promise<void> {
      await noteAlone('load', entryOfLoad(done, loaded, by)).catch(() => undefined);
    },
    /** What the last probe was noted as; null before the first. */
    lastProbe: () => lastProbe,
  };
}
export type Notes = ReturnType<typeof makeNotes>;
