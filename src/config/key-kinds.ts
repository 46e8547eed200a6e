import { isIP } from 'node:net';
import { z } from 'zod';

/** One setting: how it is read, and what docs/configuration.md says about it, which is made from here. */
export interface Key<R extends z.ZodType = z.ZodType, S extends string | null = string | null> {
  readonly read: R;
  readonly type: string;
  readonly standard: S;
  readonly since: string;
  readonly about: string;
  /** A secret also exists as NAME_FILE, which names a file that holds it. */
  readonly isSecret?: true;
}

export const webAddress = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https address')
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
    'must not hold credentials',
  )
  .transform((text) => text.replace(/\/+$/, ''));

/** Kept to the letter: the assertion's audience is compared with it, so a slash at the end counts. */
export const tokenAddress = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[#\s]/.test(text),
    'must be an http or https address without a fragment',
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '',
    'must not hold credentials',
  );

export const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);
export const port = wholeNumber.pipe(z.number().max(65_535, 'must be a port number'));
export const days = wholeNumber.pipe(z.number().min(1).max(36_500));
export const words = <const T extends readonly [string, ...string[]]>(...allowed: T) =>
  z.enum(allowed, `must be one of ${allowed.join(', ')}`);

const BASE64_32 = /^[A-Za-z0-9+/]{43}=$/;
export const key32 = z
  .string()
  .regex(BASE64_32, 'must be 32 bytes in base64 (44 characters), for example from: openssl rand -base64 32');
export const pathSecret = z
  .string()
  .regex(/^[A-Za-z0-9_~-]+$/, 'may hold letters, digits, "-", "_" and "~" only, since it is part of an address')
  .min(32, 'must have 32 characters or more');
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** A network that holds everybody is no proxy. */
export const network = z.string().refine((text) => {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128))
  );
}, 'must be addresses or networks, such as 10.0.0.1 or 10.0.0.0/24');

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
  .transform((name) => name.toLowerCase());

const SQLITE_WISHES = new Set(['', 'filesystem=any', 'create=yes']);
export const databaseUrl = z
  .string()
  .refine(
    (text) => /^sqlite:.+/.test(text) || /^postgres(ql)?:\/\/.+/.test(text),
    'must begin with sqlite: or postgres://',
  )
  .refine((text) => text.startsWith('sqlite:') || URL.canParse(text), 'is not an address')
  .refine(
    (text) =>
      !text.startsWith('sqlite:') ||
      text
        .split('?')
        .slice(1)
        .join('?')
        .split('&')
        .every((wish) => SQLITE_WISHES.has(wish)),
    'may say filesystem=any and create=yes after its ?, and nothing else',
  );

const anyText = z.string().min(1);

/** A setting without a default: an empty value counts as absent. */
export function open(type: string, about: string): Key<typeof anyText, null>;
export function open<R extends z.ZodType>(type: string, about: string, read: R): Key<R, null>;
export function open(type: string, about: string, read: z.ZodType = anyText): Key<z.ZodType, null> {
  return { read, type, standard: null, since: '0.1', about };
}

export function secretKey(type: string, about: string): Key<typeof anyText, null>;
export function secretKey<R extends z.ZodType>(type: string, about: string, read: R): Key<R, null>;
export function secretKey(type: string, about: string, read: z.ZodType = anyText): Key<z.ZodType, null> {
  return { ...open(type, about, read), isSecret: true };
}

export const set = <R extends z.ZodType>(type: string, standard: string, about: string, read: R): Key<R, string> => ({
  read,
  type,
  standard,
  since: '0.1',
  about,
});
