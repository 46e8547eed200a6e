import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** OWASP's choice for scrypt where memory is counted: 2^15 blocks of 8, so 32 MiB a try. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const;
const KEY_BYTES = 32;
/** Each hash holds 32 MiB while it runs. More wait in a queue, and a full queue refuses. */
const AT_ONCE = 2;
const WAITING_MAX = 32;

export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
}

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  /** Relative: `Practitioner/1`. */
  readonly fhirUser: string;
  /** Null: somebody else vouches for the person. */
  readonly password: PasswordHash | null;
  readonly origin: AccountOrigin;
  /** The secret of an authenticator app, in base32; null without a second factor. */
  readonly totp: string | null;
}
/** Who vouches for a person: we do, or the hospital's provider under its own name for them. */
export type AccountOrigin =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'provider';
      readonly issuer: string;
      readonly subject: string;
      /** Who said which practitioner that is: an operator, once; or the provider, at each sign-in. */
      readonly mappedBy: 'operator' | 'provider';
    };
export interface StoredAccount extends Account {
  /** Wrong passwords and codes since somebody last signed in. */
  readonly wrongTries: number;
  /** Who is disabled is there for the operator alone. */
  readonly state: 'active' | 'disabled';
  /** When an operator last said that the wrong tries before count no more. */
  readonly unlockedAtMs: number | null;
}
export type ShownAccount = Pick<StoredAccount, 'id' | 'username' | 'name' | 'fhirUser' | 'wrongTries' | 'state'> & {
  readonly origin: AccountOrigin['kind'];
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly secondFactor: 'none' | 'totp';
};

export const showAccount = (account: Account & Pick<StoredAccount, 'wrongTries' | 'state'>): ShownAccount => {
  const { id, username, name, fhirUser, wrongTries, state, origin, totp } = account;
  const { issuer, subject } = origin.kind === 'provider' ? origin : { issuer: null, subject: null };
  const secondFactor = totp === null ? 'none' : 'totp';
  return { id, username, name, fhirUser, wrongTries, state, origin: origin.kind, issuer, subject, secondFactor };
};

export const USERNAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;
export const DISPLAY_NAME = /^[^\p{Cc}<>]{1,100}$/u;
/** Clinicians alone: whoever signs in may choose any patient of the gateway, and a patient must not. */
export const FHIR_USER = /^(Practitioner|PractitionerRole)\/(?!\.+$)[A-Za-z0-9\-.]{1,64}$/;
/** Long enough by itself, as NIST has it; no rule about kinds of letters. */
export const PASSWORD_LENGTH = { least: 12, most: 200 } as const;

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16);
  return { salt: salt.toString('base64'), hash: (await derive(password, salt)).toString('base64') };
}

/** Compared where no account exists, so that both cases take the same time. */
const NOBODY: PasswordHash = {
  salt: randomBytes(16).toString('base64'),
  hash: randomBytes(KEY_BYTES).toString('base64'),
};

/** Compares with the hash, or does the same work where there is none. Null: too many are at it. */
export function makeCheckPassword() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (password: string, known: PasswordHash | null): Promise<boolean | null> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) return null;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running += 1;
    try {
      const { salt, hash } = known ?? NOBODY;
      const key = await derive(password.slice(0, PASSWORD_LENGTH.most), Buffer.from(salt, 'base64'));
      const isEqual = timingSafeEqual(key, Buffer.from(hash, 'base64'));
      return isEqual && known !== null;
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

export type CheckPassword = ReturnType<typeof makeCheckPassword>;
