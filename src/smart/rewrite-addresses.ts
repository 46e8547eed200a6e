import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { isObject, type Json } from './whose.ts';

export interface Addresses {
  /** The EHR's base, as we reach it. */
  readonly ehrBase: string;
  /** Ours, as others reach us. */
  readonly ownBase: string;
}

/** What stands here is a name and no address, whatever it looks like: an EHR's own code systems begin with its host. */
const NAMES = new Set([
  'system',
  'profile',
  'instantiatesUri',
  'instantiatesCanonical',
  'definition',
  'valueUri',
  'valueCanonical',
]);

export type RewriteAddresses = <T>(value: T) => Result<T>;

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Makes a function that turns addresses below the EHR's base into ours: relative in references, absolute elsewhere. It fails
 * where the host is named in any other way. The value given stays as it is; what did not change is shared with it.
 */
export function makeRewriteAddresses({ ehrBase, ownBase }: Addresses): RewriteAddresses {
  const found = { mentions: 0 };
  const { host } = new URL(ehrBase);
  const below = new RegExp(`${escape(ehrBase)}(?=$|[/?#"'<>\\s)])`, 'gi');
  // A host without a dot, such as a container's, is also a word of its own.
  const mention = new RegExp(
    host.includes('.') ? `(^|[^a-z0-9.-])${escape(host)}(?![a-z0-9-])` : `//${escape(host)}(?![a-z0-9.-])`,
    'i',
  );

  function text(value: string, key: string, parent: Json | null): string {
    if (!mention.test(value)) return value;
    const isExtensionUrl =
      key === 'url' && parent !== null && Object.keys(parent).some((one) => /^(value[A-Z]|extension$)/.test(one));
    if (NAMES.has(key) || isExtensionUrl) return value;
    const isReference = key === 'reference' && value.toLowerCase().startsWith(`${ehrBase.toLowerCase()}/`);
    const changed = isReference ? value.slice(ehrBase.length + 1) : value.replace(below, ownBase);
    if (mention.test(changed.replaceAll(ownBase, ''))) found.mentions += 1;
    return changed;
  }

  function rewrite(value: unknown, key: string, parent: Json | null): unknown {
    if (typeof value === 'string') return value.length < host.length ? value : text(value, key, parent);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        const next = rewrite(value[i], key, parent);
        if (next !== value[i]) (copy ??= [...(value as unknown[])])[i] = next;
      }
      return copy ?? value;
    }
    if (!isObject(value)) return value;
    let copy: Record<string, unknown> | undefined;
    // A number that keeps its digits is an object too; its one property is no text of anybody's.
    for (const name in value) {
      const next = rewrite(value[name], name, value);
      if (next !== value[name])
        Object.defineProperty((copy ??= { ...value }), name, {
          value: next,
          enumerable: true,
          writable: true,
          configurable: true,
        });
    }
    return copy ?? value;
  }

  return <T>(value: T): Result<T> => {
    found.mentions = 0;
    const changed = rewrite(value, '', null) as T;
    return found.mentions > 0 ? fail(fault('read.ehr-address')) : ok(changed);
  };
}
