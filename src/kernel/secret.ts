import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const PROCESS_KEY = createSecretKey(randomBytes(32));
const REDACTED = '[secret]';

/** A value that prints as `[secret]` wherever it ends up; only `reveal` gives it out. */
export interface Secret {
  reveal(): string;
  /** In constant time, whatever the length of the other. */
  equals(other: string): boolean;
  toString(): string;
}

const digest = (text: string): Buffer => createHmac('sha256', PROCESS_KEY).update(text).digest();

export function secret(value: string): Secret {
  const own = digest(value);
  return Object.freeze({
    reveal: () => value,
    equals: (other: string) => timingSafeEqual(own, digest(other)),
    toString: () => REDACTED,
    toJSON: () => REDACTED,
    [inspect.custom]: () => REDACTED,
  });
}
