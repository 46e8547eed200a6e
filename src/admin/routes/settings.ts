import { noteTime, type AuditReads, type AuditWrites } from '../../audit/index.ts';
import type { SigningKeyAge } from '../../auth/index.ts';
import { ok, type Clock, type Result } from '../../kernel/index.ts';
import type { KeptResealing, Operate } from '../../store/index.ts';
import { iso } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import { makeKeyAges, type KeyAge } from '../key-ages.ts';

/** A setting as it is in force. */
interface ShownSetting {
  readonly key: string;
  readonly about: string;
  readonly value:
    { readonly kind: 'secret'; readonly isSet: boolean } | { readonly kind: 'plain'; readonly text: string | null };
  readonly from: 'environment' | 'file' | 'default' | 'none';
}

/** A connection and what protects it. */
export interface ShownConnection {
  readonly of: 'listener' | 'public-address' | 'ehr' | 'database';
  readonly how: 'own-certificate' | 'proxy' | 'tls' | 'mutual-tls' | 'loopback' | 'file' | 'plain';
  /** Of a certificate of ours: when it ends. */
  readonly certificateUntil: Date | null;
}
export interface Versions {
  readonly gateway: string;
  readonly node: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly engineVersion: string;
  readonly mappings: string;
}

const DAY_MS = 24 * 60 * 60_000;

const shownSetting = ({ key, about, value, from }: ShownSetting) => ({
  key,
  about,
  isSecret: value.kind === 'secret',
  value: value.kind === 'plain' ? value.text : value.isSet ? 'set' : 'not set',
  from,
});

const shownKey = ({ sinceMs, ...rest }: KeyAge, nowMs: number) => ({
  ...rest,
  since: sinceMs === null ? null : iso(sinceMs),
  ageDays: sinceMs === null ? null : Math.max(0, Math.floor((nowMs - sinceMs) / DAY_MS)),
});

const shownConnection = ({ of, how, certificateUntil }: ShownConnection) => ({
  of,
  isProtected: how !== 'plain',
  how,
  certificateUntil: certificateUntil?.toISOString() ?? null,
});

/** What the gateway runs with. */
export function makeSettingsRoutes(deps: {
  readonly settings: readonly ShownSetting[];
  readonly weak: readonly { readonly key: string; readonly what: string; readonly mend: string }[];
  readonly connections: readonly ShownConnection[];
  readonly versions: () => Versions;
  readonly resealing: Pick<KeptResealing, 'keys'>;
  readonly audit: Operate<AuditWrites, AuditReads>;
  /** The public key of the checkpoints. */
  readonly auditKey: { readonly text: string };
  readonly isAnchored: boolean;
  readonly auditRetentionDays: number;
  readonly signingKeys: () => Promise<Result<readonly SigningKeyAge[]>>;
  readonly clock: Clock;
}): AdminRoute[] {
  const { audit, clock } = deps;
  const keyAges = makeKeyAges(deps);

  async function auditState() {
    const uncovered = await audit.read('audit.uncovered', { limit: 1 });
    if (!uncovered.ok) return uncovered;
    const { last } = uncovered.value;
    const atMs = last === null ? null : noteTime(last.note);
    return ok({
      checkpoint:
        last === null ? null : { number: last.n, at: atMs === null ? null : iso(atMs), records: last.records },
      isAnchored: deps.isAnchored,
      retentionDays: deps.auditRetentionDays,
    });
  }

  return [
    defineRoute('settings.get', async () => {
      const keys = await keyAges();
      if (!keys.ok) return keys;
      const signed = await auditState();
      if (!signed.ok) return signed;
      const nowMs = clock.now().getTime();
      return ok({
        settings: deps.settings.map(shownSetting),
        keys: keys.value.map((one) => shownKey(one, nowMs)),
        weak: [...deps.weak],
        connections: deps.connections.map(shownConnection),
        audit: signed.value,
        versions: deps.versions(),
      });
    }),
  ];
}
