import { fail, ok, type Result } from '../kernel/index.ts';
import {
  identifierToken,
  readResource,
  searchResources,
  type Ehr,
  type Resource,
  type TypePlan,
} from '../ehr/index.ts';

export type Looked =
  | { readonly kind: 'there'; readonly resource: Resource; readonly id: string }
  /** `wasThere`: it was once, and somebody deleted it. */
  | { readonly kind: 'absent'; readonly wasThere: 'yes' | 'unknown' }
  /** Several resources carry the name. */
  | { readonly kind: 'several' }
  /** This EHR offers no way to look for it. */
  | { readonly kind: 'unfindable' };

export interface LookFor {
  readonly resourceType: string;
  readonly name: string;
  readonly system: string;
  /** Where it was written before. */
  readonly id: string | null;
  readonly plan: TypePlan;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

const NOT_FOUND: Looked = { kind: 'absent', wasThere: 'unknown' };

const there = (resource: unknown): Looked | null => {
  const found = resource as Resource & { id?: unknown };
  return typeof found.id === 'string' ? { kind: 'there', resource: found, id: found.id } : null;
};

async function read(ehr: Ehr, { resourceType, requestId, signal }: LookFor, id: string): Promise<Result<Looked>> {
  const answer = await readResource(ehr, resourceType, id, { requestId, signal });
  if (answer.ok) {
    const { body } = answer.value;
    const found = body.kind === 'json' ? there(body.value) : null;
    return ok(found ?? NOT_FOUND);
  }
  if (answer.fault.code === 'ehr.gone') return ok({ kind: 'absent', wasThere: 'yes' });
  return answer.fault.code === 'ehr.not-found' ? ok(NOT_FOUND) : answer;
}

async function search(
  ehr: Ehr,
  { resourceType, name, system, plan, requestId, signal }: LookFor,
): Promise<Result<Looked>> {
  const found = await searchResources(ehr, {
    type: resourceType,
    params: [['identifier', identifierToken(system, name)]],
    by: plan.searchBy,
    requestId,
    signal,
  });
  if (!found.ok) return fail(found.fault);
  // Whatever a server answers is compared by us, byte for byte.
  const own = found.value.matches.filter(({ identifier }) =>
    (Array.isArray(identifier) ? (identifier as { system?: unknown; value?: unknown }[]) : []).some(
      (one) => one.system === system && one.value === name,
    ),
  );
  const [only, ...others] = own;
  if (only === undefined) return ok(found.value.more === 'yes' ? { kind: 'several' } : NOT_FOUND);
  return ok(others.length > 0 ? { kind: 'several' } : (there(only) ?? NOT_FOUND));
}

/**
 * What the EHR holds under the name of a resource: by its address where that is known, else by what makes it the same.
 */
export async function lookUp(ehr: Ehr, asked: LookFor): Promise<Result<Looked>> {
  if (asked.id !== null) return read(ehr, asked, asked.id);
  switch (asked.plan.identity) {
    case 'put-by-id':
      return read(ehr, asked, asked.name);
    case 'conditional-update':
    case 'search-then-write':
      return search(ehr, asked);
    case 'ledger-only':
    case 'not-written':
      return ok({ kind: 'unfindable' });
  }
}
