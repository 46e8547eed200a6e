import { fail, fault, ok, type NewId, type Result } from '../kernel/index.ts';
import type { LinkOutcome, Links } from '../lanes/index.ts';
import {
  readLinkRows,
  type BadRow,
  type IdentityReads,
  type IdentityWrites,
  type LinkAct,
  type LinkChange,
  type LinkRow,
  type WantedLink,
} from '../identity/index.ts';
import type { Operate } from '../store/index.ts';

/** So many rows share a commit, each with the deliveries that it releases: few enough that the commit stays short. */
const AT_ONCE = 8;
const FORESEEN_AT_ONCE = 1_000;

export interface Imported {
  readonly dryRun: boolean;
  readonly rows: number;
  readonly confirmed: number;
  readonly changed: number;
  readonly proposed: number;
  readonly unchanged: number;
  readonly released: number;
  readonly requeued: number;
  readonly retracting: number;
  readonly unrepeatable: number;
  /** Users whose deliveries are still being moved. */
  readonly unsettled: number;
  readonly bad: readonly BadRow[];
}

const inChunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Rows that are good are applied, also when others are not. A fault in the middle loses nothing: the same file can be
 * sent again.
 */
export function makeImportLinks(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly links: Links;
  readonly newId: NewId;
}) {
  const toWanted = ({ user, mrn, client, status, evidence }: LinkRow): WantedLink => ({
    id: deps.newId('lnk'),
    client: client ?? deps.clientUuid ?? '',
    user,
    mrnSystem: deps.mrnSystem,
    mrn,
    status,
    evidence,
  });

  async function foresee(wanted: readonly WantedLink[]): Promise<Result<LinkChange[]>> {
    const out: LinkChange[] = [];
    for (const some of inChunks(wanted, FORESEEN_AT_ONCE)) {
      const seen = await deps.identity.read('identity.foresee', { tenant: deps.tenant, wanted: some });
      if (!seen.ok) return seen;
      out.push(...seen.value);
    }
    return ok(out);
  }

  async function apply(act: LinkAct, wanted: readonly WantedLink[]): Promise<Result<LinkOutcome[]>> {
    const out: LinkOutcome[] = [];
    for (const some of inChunks(wanted, AT_ONCE))
      for (const done of await Promise.all(some.map((one) => deps.links.put(act, one, 'behind')))) {
        if (!done.ok) return done;
        out.push(done.value);
      }
    return ok(out);
  }

  return async (act: LinkAct, bytes: Uint8Array, how: 'apply' | 'foresee'): Promise<Result<Imported>> => {
    const text = textOf(bytes);
    if (text === null) return fail(fault('links.csv', { at: 'encoding' }));
    const read = await readLinkRows(text, deps.clientUuid);
    if (!read.ok) return read;
    const { rows, bad } = read.value;
    const wanted = rows.map(toWanted);
    const done = how === 'apply' ? await apply(act, wanted) : ok<LinkOutcome[]>([]);
    if (!done.ok) return done;
    const changes = how === 'apply' ? ok(done.value.map(({ change }) => change)) : await foresee(wanted);
    if (!changes.ok) return changes;
    const count = (wantedChange: LinkChange): number =>
      changes.value.filter((change) => change === wantedChange).length;
    const total = (of: (one: LinkOutcome) => number): number => done.value.reduce((sum, one) => sum + of(one), 0);
    return ok({
      dryRun: how === 'foresee',
      rows: rows.length + bad.length,
      confirmed: count('confirmed'),
      changed: count('changed'),
      proposed: count('proposed'),
      unchanged: count('unchanged'),
      released: total(({ released }) => released),
      requeued: total(({ requeued }) => requeued),
      retracting: total(({ retracting }) => retracting),
      unrepeatable: total(({ unrepeatable }) => unrepeatable),
      unsettled: total(({ isSettled }) => (isSettled ? 0 : 1)),
      bad,
    });
  };
}
