declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type RequestId = Brand<string, 'RequestId'>;
export type DeliveryId = Brand<string, 'DeliveryId'>;
export type LinkId = Brand<string, 'LinkId'>;
export type AttemptId = Brand<string, 'AttemptId'>;
export type InstanceId = Brand<string, 'InstanceId'>;
export type OperatorId = Brand<string, 'OperatorId'>;
export type SessionId = Brand<string, 'SessionId'>;
export type FactorId = Brand<string, 'FactorId'>;
export type ApiKeyId = Brand<string, 'ApiKeyId'>;
export type BulkJobId = Brand<string, 'BulkJobId'>;
export type ExportId = Brand<string, 'ExportId'>;
export type PatientGroupId = Brand<string, 'PatientGroupId'>;
export type SavedSearchId = Brand<string, 'SavedSearchId'>;
export type SubscriptionId = Brand<string, 'SubscriptionId'>;
export type Tenant = Brand<string, 'Tenant'>;

interface IdOf {
  req: RequestId;
  dlv: DeliveryId;
  lnk: LinkId;
  att: AttemptId;
  ins: InstanceId;
  opr: OperatorId;
  ses: SessionId;
  fac: FactorId;
  key: ApiKeyId;
  job: BulkJobId;
  exp: ExportId;
  grp: PatientGroupId;
  asr: SavedSearchId;
  sub: SubscriptionId;
}

// Crockford's base32, lower case: no i, l, o, u, so that an id survives being read over the telephone.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function encodeTime(ms: number): string {
  let rest = ms;
  let out = '';
  for (let i = 0; i < 10; i += 1) {
    out = ALPHABET.charAt(rest % 32) + out;
    rest = Math.floor(rest / 32);
  }
  return out;
}

/** Two characters for each ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >>> 5) + ALPHABET.charAt(bits & 31));

/** Five bits a character; of ten bytes none is left over. */
function encodeTen(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < 10; i += 5) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = [bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3], bytes[i + 4]];
    out += `${PAIRS[(a << 2) | (b >>> 6)]}${PAIRS[((b & 63) << 4) | (c >>> 4)]}${PAIRS[((c & 15) << 6) | (d >>> 2)]}${PAIRS[((d & 3) << 8) | e]}`;
  }
  return out;
}

export type Chance = (bytes: number) => Uint8Array;

/**
 * Makes ids that sort by time: 48 bits of milliseconds, then 80 bits of chance, in 26 characters behind their prefix.
 * The two are arguments so that a test gets the same ids twice.
 */
export function makeNewId(deps: { readonly now: () => number; readonly chance: Chance }) {
  let time = { ms: 0, text: encodeTime(0) };
  return <P extends keyof IdOf>(prefix: P): IdOf[P] => {
    const ms = deps.now();
    if (ms !== time.ms) time = { ms, text: encodeTime(ms) };
    return `${prefix}_${time.text}${encodeTen(deps.chance(10))}` as unknown as IdOf[P];
  };
}

export type NewId = ReturnType<typeof makeNewId>;
