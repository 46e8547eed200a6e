import type { AuditDraft } from '../audit/index.ts';
import { fail, fault, ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { GrantPlace, ListedGrant } from './commands.ts';
import { GRANT_ID } from './rows.ts';

export interface GrantPage {
  readonly grants: readonly ListedGrant[];
  /** Where the next page begins; null for the last one. */
  readonly next: string | null;
}
export interface GrantQuery {
  readonly of: { readonly kind: 'client' | 'account'; readonly id: string };
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Whose records a grant is about is not for whoever looks after apps. */
export type AppGrant = Omit<ListedGrant, 'patient'>;

/** The place of a grant in its list. */
const toCursor = ({ madeAtMs, index }: GrantPlace): string => Buffer.from(`${madeAtMs} ${index}`).toString('base64url');
function fromCursor(text: string) {
  const [, madeAt, index] = /^(\d{1,15}) ([0-9a-f]{16,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return madeAt === undefined || index === undefined ? null : { madeAtMs: Number(madeAt), index };
}

/** What apps and people were given, and its end. */
export function makeGrants({
  tenant,
  store,
  clock,
}: {
  readonly tenant: string;
  readonly store: AuthStore;
  readonly clock: Clock;
}) {
  return {
    async list({ of, cursor, limit }: GrantQuery): Promise<Result<GrantPage>> {
      const before = cursor === undefined ? null : fromCursor(cursor);
      if (cursor !== undefined && before === null) return fail(fault('admin.parameter', { at: 'cursor' }));
      const found = await store.read('auth.grants', { tenant, of, before, limit, at: clock.now() });
      if (!found.ok) return found;
      const { grants, next } = found.value;
      return ok({ grants, next: next === null ? null : toCursor(next) });
    },

    /** `accountId`: only where it is theirs; null: whosever it is. */
    async end(id: string, accountId: string | null, audit: AuditDraft): Promise<Result<null>> {
      if (!GRANT_ID.test(id)) return fail(fault('grant.not-found'));
      const done = await store.write('auth.end-grant', { id, accountId, audit: { ...audit, to: id } });
      if (!done.ok) return done;
      return done.value === 'ended' ? ok(null) : fail(fault('grant.not-found'));
    },
  };
}
