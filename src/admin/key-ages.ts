import { noteTime, type AuditReads, type AuditWrites } from '../audit/index.ts';
import type { SigningKeyAge } from '../auth/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import type { KeptResealing, Operate } from '../store/index.ts';

export interface KeyAge {
  readonly kind: 'data' | 'audit' | 'id-token';
  readonly id: string;
  readonly isInUse: boolean;
  /** Null before its first use. */
  readonly sinceMs: number | null;
}

/** Since when each key is in use, as far as the store knows: keys that only the settings hold have no age here. */
export function makeKeyAges(deps: {
  readonly resealing: Pick<KeptResealing, 'keys'>;
  readonly audit: Pick<Operate<AuditWrites, AuditReads>, 'read'>;
  /** The public key of the checkpoints. */
  readonly auditKey: { readonly text: string };
  readonly signingKeys: () => Promise<Result<readonly SigningKeyAge[]>>;
}): () => Promise<Result<readonly KeyAge[]>> {
  /** Only a start changes this key, and to find it all checkpoints are looked at. */
  let auditSinceMs: number | null = null;

  async function dataKeys(): Promise<Result<KeyAge[]>> {
    const keys = await deps.resealing.keys();
    if (!keys.ok) return keys;
    const { sealing, older, firstUsedAtMs } = keys.value;
    return ok(
      [sealing, ...older].map((id) => ({
        kind: 'data',
        id,
        isInUse: id === sealing,
        sinceMs: firstUsedAtMs[id] ?? null,
      })),
    );
  }

  /** It signs since the checkpoint by which it took over, or since the first. */
  async function findAuditSince(): Promise<Result<number | null>> {
    const rotations = await deps.audit.read('audit.rotations', null);
    if (!rotations.ok) return rotations;
    const first = await deps.audit.read('audit.checkpoints', { after: 0, limit: 1 });
    if (!first.ok) return first;
    const note = (rotations.value.at(-1) ?? first.value[0])?.note;
    return ok(note === undefined ? null : noteTime(note));
  }

  async function auditKey(): Promise<Result<KeyAge>> {
    if (auditSinceMs === null) {
      const found = await findAuditSince();
      if (!found.ok) return found;
      auditSinceMs = found.value;
    }
    return ok({ kind: 'audit', id: deps.auditKey.text.split('+')[1] ?? '', isInUse: true, sinceMs: auditSinceMs });
  }

  return async () => {
    const data = await dataKeys();
    if (!data.ok) return data;
    const signs = await auditKey();
    if (!signs.ok) return signs;
    const tokens = await deps.signingKeys();
    if (!tokens.ok) return tokens;
    const idTokens = tokens.value.map(({ kid, madeAt, isInUse }): KeyAge => ({
      kind: 'id-token',
      id: kid,
      isInUse,
      sinceMs: madeAt.getTime(),
    }));
    return ok([...data.value, signs.value, ...idTokens]);
  };
}
