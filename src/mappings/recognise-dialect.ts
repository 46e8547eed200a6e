import type { Dialect } from './mapping.ts';

/** What an EHR says of itself, and where it is. */
export interface EhrSelfDescription {
  readonly software: string | null;
  readonly publisher: string | null;
  readonly implementation: string | null;
  /** Its host. */
  readonly address: string;
}

const SIGN = /^(software|publisher|implementation|address): (\S.*)$/;

export const isSign = (text: string): boolean => SIGN.test(text);

/** As a whole, whatever the case; `*` stands for anything. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(text);
}

const fits = (sign: string, told: EhrSelfDescription): boolean => {
  const [, of = '', pattern = ''] = SIGN.exec(sign) ?? [];
  return isLike(told[of as keyof EhrSelfDescription] ?? '', pattern);
};

/** The dialect of an EHR by what it says of itself; null where none fits, or several do. */
export function recogniseDialect(dialects: ReadonlyMap<string, Dialect>, told: EhrSelfDescription): Dialect | null {
  const fitting = [...dialects.values()].filter(
    ({ recognisedBy }) => recognisedBy?.some((sign) => fits(sign, told)) === true,
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
