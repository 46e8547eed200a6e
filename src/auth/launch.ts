import { randomBytes } from 'node:crypto';
import { fail, isObject, ok, type Result } from '../kernel/index.ts';
import { isWithin } from './narrow-scope.ts';
import { parseResourceScope } from './scope.ts';

/** What an EHR launch is about. Kept until it is used once, or a quarter of an hour. */
export interface Launch {
  /** The client that it is for; null for any. */
  readonly clientId: string | null;
  readonly patient: string;
  readonly encounter: string | null;
  readonly needPatientBanner: boolean;
  /** What the user is about to do, as the EHR and the app have agreed to call it. */
  readonly intent?: string | null;
  /** What else the launch is about, beside patient and encounter. */
  readonly fhirContext?: readonly FhirContextItem[];
}

/** Of SMART's `fhirContext`: a resource, and the part that it plays. */
export interface FhirContextItem {
  readonly reference: string;
  readonly role?: string;
}

export const LAUNCH_KIND = 'Launch';
export const LAUNCH_MS = 15 * 60_000;
export const newLaunchId = (): string => randomBytes(24).toString('base64url');

/** What a token is about, as it stands in a token response and in an introspection. */
export interface LaunchContext {
  readonly patient?: string;
  readonly encounter?: string;
  readonly need_patient_banner?: boolean;
  readonly smart_style_url?: string;
  readonly intent?: string;
  readonly fhirContext?: readonly FhirContextItem[];
}

/**
 * What a grant is about; it is carried where the provider keeps details of an authorization, and ends with the grant.
 */
const CONTEXT_TYPE = 'smart-launch-context';
export const contextOf = (grant: { readonly rar?: readonly unknown[] | undefined } | undefined): LaunchContext => {
  const found = (grant?.rar ?? []).find((one) => (one as { type?: string }).type === CONTEXT_TYPE);
  const { type: _type, ...context } = (found ?? {}) as LaunchContext & { type?: string };
  return context;
};
export const toContextDetail = (context: LaunchContext) => ({ type: CONTEXT_TYPE, ...context });

const ITEMS_MAX = 20;
const ITEM = /^([A-Z][A-Za-z]{1,63})\/(?!\.+$)[A-Za-z0-9\-.]{1,64}$/;
const ROLE = /^(?:launch|[a-z][a-z0-9+.-]*:[^\s\p{Cc}<>"]{1,190})$/u;
const INTENT = /^[^\p{Cc}\p{Cs}<>]{1,100}$/u;
/** These have fields of their own. A second one of either would be about somebody whom nobody chose. */
const OF_THEIR_OWN: ReadonlySet<string> = new Set(['Patient', 'Encounter']);

export const isIntent = (value: unknown): value is string => typeof value === 'string' && INTENT.test(value);

/** References of types that FHIR has, other than patients and encounters; or the place that is wrong. */
export function parseFhirContext(
  value: unknown,
  isType: (name: string) => boolean,
): Result<readonly FhirContextItem[], string> {
  if (!Array.isArray(value) || value.length > ITEMS_MAX) return fail('fhirContext');
  const items: FhirContextItem[] = [];
  for (const [n, one] of (value as unknown[]).entries()) {
    const at = `fhirContext[${n}]`;
    if (!isObject(one)) return fail(at);
    const { reference, role, ...odd } = one;
    const [, type = ''] = ITEM.exec(typeof reference === 'string' ? reference : '') ?? [];
    if (Object.keys(odd).length > 0 || !isType(type) || OF_THEIR_OWN.has(type)) return fail(at);
    if (role !== undefined && (typeof role !== 'string' || !ROLE.test(role))) return fail(`${at}.role`);
    items.push({ reference: String(reference), ...(role === undefined ? {} : { role }) });
  }
  return ok(items);
}

/** Without what of `fhirContext` a token with these scopes could not read. */
export function contextWithin({ fhirContext, ...context }: LaunchContext, scopes: readonly string[]): LaunchContext {
  const given = scopes.filter((one) => parseResourceScope(one) !== null);
  const isSeen = ({ reference }: FhirContextItem): boolean => {
    const [type = ''] = reference.split('/');
    return given.some((one) => {
      const scope = parseResourceScope(one);
      return scope?.letters.has('r') === true && (scope.type === type || isWithin(`${scope.level}/${type}.r`, [one]));
    });
  };
  const seen = (fhirContext ?? []).filter(isSeen);
  return seen.length === 0 ? context : { ...context, fhirContext: seen };
}
