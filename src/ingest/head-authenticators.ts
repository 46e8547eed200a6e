import { BlockList, isIPv6 } from 'node:net';
import type { Secret } from '../kernel/index.ts';
import type { Authenticator } from './authenticator.ts';

/** Every live secret is compared, so that the time does not tell which one it was. */
const matchesOne = (secrets: readonly Secret[], given: string): boolean =>
  secrets.map((one) => one.equals(given)).includes(true);

export const secretPath = (secrets: readonly Secret[]): Authenticator => ({
  name: 'secret-path',
  proves: 'secret',
  stage: 'head',
  check: ({ pathSecret }) => matchesOne(secrets, pathSecret),
});

/** `user:password` pairs. */
export const basic = (pairs: readonly Secret[]): Authenticator => ({
  name: 'basic',
  proves: 'basic',
  stage: 'head',
  check: ({ headers }) => {
    const [, encoded] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(headers.authorization ?? '') ?? [];
    return encoded !== undefined && matchesOne(pairs, Buffer.from(encoded, 'base64').toString('utf8'));
  },
});

const family = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Addresses and networks (`10.0.0.0/8`) as one list. */
export function makeAddressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return (given) => {
    const address = given.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(address, family(address));
  };
}

/**
 * A client certificate that the proxy in front has checked and names in a header. From anybody else the header is worth
 * nothing.
 */
export function mtlsHeader(
  header: string,
  names: readonly Secret[],
  isProxy: (address: string) => boolean,
): Authenticator {
  return {
    name: 'mtls',
    proves: 'certificate',
    stage: 'head',
    check: ({ headers, remoteAddress }) => {
      const given = headers[header];
      return isProxy(remoteAddress) && typeof given === 'string' && matchesOne(names, given);
    },
  };
}
