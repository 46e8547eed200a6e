import { isUcum } from '../r4/index.ts';
import { LOCAL, LOINC, UCUM } from './systems.ts';

/** LOINC's check digit: the mod-10 algorithm of the LOINC Users' Guide, appendix C. */
export function isLoinc(code: string): boolean {
  const match = /^(\d{1,7})-(\d)$/.exec(code);
  if (match === null) return false;
  const digits = Array.from(match[1] ?? '', Number).reverse();
  const sum = digits.reduce((total, digit, i) => {
    const weighed = i % 2 === 0 ? digit * 2 : digit;
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return (10 - (sum % 10)) % 10 === Number(match[2]);
}

/** What is wrong with a code, in words; null when nothing is, or when nobody here can tell. */
export function checkCode(system: string, code: string, localCodes: ReadonlySet<string>): string | null {
  if (system === LOINC) return isLoinc(code) ? null : `${code} has a wrong LOINC check digit`;
  if (system === UCUM) return isUcum(code) ? null : `${code} is not UCUM`;
  if (system === LOCAL) return localCodes.has(code) ? null : `${code} is not in codesystem-local.json`;
  return null;
}
