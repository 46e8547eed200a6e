declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type RequestId = Brand<string, 'RequestId'>;
export type DeliveryId = Brand<string, 'DeliveryId'>;
export type LinkId = Brand<string, 'LinkId'>;
export type AttemptId = Brand<string, 'AttemptId'>;
export type InstanceId = Brand<string, 'InstanceId'>;
export type Tenant = Brand<string, 'Tenant'>;

interface IdOf {
  req: RequestId;
  dlv: DeliveryId;
  lnk: LinkId;
  att: AttemptId;
  ins: InstanceId;
}

// Crockford's base32, lower case: no i, l, o, u, so that an id survives being read over the telephone.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(value: bigint, length: number): string {
  let rest = value;
  let out = '';
  for (let i = 0; i < length; i += 1) {
    out = ALPHABET.charAt(Number(rest & 31n)) + out;
    rest >>= 5n;
  }
  return out;
}

export type Chance = (bytes: number) => Uint8Array;

/**
 * Makes ids that sort by time: 48 bits of milliseconds, then 80 bits of chance, in 26 characters behind their prefix.
 * The two are arguments so that a test gets the same ids twice.
 */
export function makeNewId(deps: { readonly now: () => number; readonly chance: Chance }) {
  return <P extends keyof IdOf>(prefix: P): IdOf[P] => {
    const random = deps.chance(10).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return `${prefix}_${base32(BigInt(deps.now()), 10)}${base32(random, 16)}` as unknown as IdOf[P];
  };
}

export type NewId = ReturnType<typeof makeNewId>;
