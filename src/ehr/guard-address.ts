import { fail, fault, ok, StartError, type Result } from '../kernel/index.ts';
import type { Pairs } from './exchange.ts';

/** An address below our base, taken apart so that it can be put on our own base again. */
export interface OwnAddress {
  readonly path: string;
  readonly query: Pairs;
}

export interface AddressGuard {
  readonly origin: string;
  readonly base: string;
  /** What goes on the wire for a path of ours. */
  target(path: string, query?: Pairs): Result<string>;
  /** An address that a server gave (link, Location, fullUrl): ours, or a fault. Never sent as it stands. */
  own(address: string): Result<OwnAddress>;
}

// Ids, types, operations and their parts. No percent sign: an encoded slash or dot would mean something else behind a
// proxy.
const SEGMENT = /^[A-Za-z0-9$_.-]{1,128}$/;
const isPlain = (path: string): boolean =>
  path === '' || path.split('/').every((one) => SEGMENT.test(one) && !/^\.+$/.test(one));

const foreign = () => fail(fault('ehr.foreign-address'));

function parseBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : null;
  const isGood =
    base !== null &&
    /^https?:$/.test(base.protocol) &&
    base.username + base.password + base.search + base.hash === '' &&
    !/[%\\]/.test(base.pathname);
  if (!isGood)
    throw new StartError(
      'ehr.url',
      "CHARTGATE_EHR_URL must be the EHR's FHIR base: http or https, without credentials, query or fragment.",
    );
  return base;
}

/**
 * Knows one origin and one path below it, both compared as they are and never as a prefix of text:
 * `https://ehr.example.org.evil.org` and `/fhirx` begin like ours and are not (CVE-2026-34359 was that).
 */
export function makeAddressGuard(baseUrl: string): AddressGuard {
  const base = parseBase(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');

  return {
    origin: base.origin,
    base: `${base.origin}${root}`,

    target(path, query = []) {
      if (!isPlain(path) && path !== '.well-known/smart-configuration') return foreign();
      // In an address a plus sign is a blank for some servers and itself for others; %20 is a blank for all.
      const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))
        .toString()
        .replaceAll('+', '%20');
      const below = path === '' ? root || '/' : `${root}/${path}`;
      return ok(search === '' ? below : `${below}?${search}`);
    },

    own(address) {
      if (/[\\\s]/.test(address) || !URL.canParse(address, `${base.origin}${root}/`)) return foreign();
      const url = new URL(address, `${base.origin}${root}/`);
      if (url.origin !== base.origin || url.username + url.password + url.hash !== '') return foreign();
      const isBase = url.pathname === root || url.pathname === `${root}/`;
      if (!isBase && !url.pathname.startsWith(`${root}/`)) return foreign();
      const path = isBase ? '' : url.pathname.slice(root.length + 1);
      return isPlain(path) ? ok({ path, query: [...url.searchParams] }) : foreign();
    },
  };
}

export interface Located {
  readonly type: string;
  readonly id: string;
  readonly versionId: string | null;
}

const LOCATION = /^([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/([A-Za-z0-9.-]{1,64}))?$/;

const DOTS = /(?:^|\/)\.{1,2}(?:\/|$)/;
/**
 * Most answers name a resource by the plainest of paths, at once or below our base as it is written: those need no
 * parsing as an address.
 */
function plainMatch({ base }: AddressGuard, location: string): RegExpExecArray | null {
  const path = location.startsWith(base) && location[base.length] === '/' ? location.slice(base.length + 1) : location;
  return path.includes('.') && DOTS.test(path) ? null : LOCATION.exec(path);
}

/** Which resource a Location, or the `location` of a Bundle's entry, names. Null where it is not one of this server. */
export function readLocation(guard: AddressGuard, location: string): Located | null {
  const own = (): RegExpExecArray | null => {
    const address = guard.own(location);
    return address.ok ? LOCATION.exec(address.value.path) : null;
  };
  const [, type, id, versionId = null] = plainMatch(guard, location) ?? own() ?? [];
  return type === undefined || id === undefined ? null : { type, id, versionId };
}
