import { lookup, promises as dns } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/* https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-: what is not on the public internet. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Only 2000::/3 is given out; of it, what embeds an IPv4 address or is special is left out as well. */
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [net, bits] of IPV4) special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of IPV6) special.addSubnet(net, bits, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Finds the addresses of a name. */
export type Resolve = (
  host: string,
  isPrivate?: boolean,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Ends in time, and does not use the few threads that files and keys are worked on with. */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
const RESOLVING_MAX = 64;
let resolving = 0;

/** What an operator allows may be known to this machine alone. Other names are the public's. */
export const resolveByDns: Resolve = async (host, isPrivate = false) => {
  if (isPrivate) return lookUp(host);
  if (/^(.+\.)?localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  if (resolving >= RESOLVING_MAX) return [];
  resolving += 1;
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = (of: PromiseSettledResult<string[]>, family: number) =>
      of.status === 'fulfilled' ? of.value.map((address) => ({ address, family })) : [];
    return [...found(four, 4), ...found(six, 6)];
  } finally {
    resolving -= 1;
  }
};

const lookUp: Resolve = (host) =>
  new Promise((found, failed) => {
    lookup(host, { all: true, order: 'verbatim' }, (error, addresses) =>
      error === null ? found(addresses) : failed(error),
    );
  });

export type Endpoint =
  | { readonly kind: 'good'; readonly addresses: readonly { readonly address: string; readonly family: number }[] }
  /** `address`: it is not public. `unreachable`: nobody knows the name. `scheme`: it is not https. */
  | { readonly kind: 'refused'; readonly because: 'address' | 'unreachable' | 'scheme' };

export interface EndpointGuard {
  /** Whether notifications may go there, and to which addresses: whoever connects must connect to one of these. */
  check(endpoint: URL): Promise<Endpoint>;
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** `privateHosts`: `host` or `host:port` that the operator allows though they are not public; there http will do. */
export function makeEndpointGuard(deps: {
  readonly privateHosts: readonly string[];
  readonly resolve: Resolve;
}): EndpointGuard {
  const allowed = new Set(deps.privateHosts.map((one) => one.toLowerCase()));
  return {
    async check(endpoint) {
      // A URL does not name the port that is usual.
      const port = endpoint.port === '' ? (endpoint.protocol === 'https:' ? '443' : '80') : endpoint.port;
      const name = endpoint.hostname.toLowerCase();
      const isAllowed = allowed.has(`${name}:${port}`) || allowed.has(name);
      if (endpoint.protocol !== 'https:' && !isAllowed) return { kind: 'refused', because: 'scheme' };
      const host = bare(endpoint.hostname);
      const family = isIP(host);
      let addresses: readonly { readonly address: string; readonly family: number }[] = [{ address: host, family }];
      if (family === 0) {
        try {
          addresses = await deps.resolve(host, isAllowed);
        } catch {
          addresses = [];
        }
      }
      if (addresses.length === 0) return { kind: 'refused', because: 'unreachable' };
      // One private address among public ones is how a name is turned against whoever resolves it.
      if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
        return { kind: 'refused', because: 'address' };
      return { kind: 'good', addresses };
    },
  };
}
