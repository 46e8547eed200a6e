import { isLoinc } from '../mappings/index.ts';

/** A LOINC code in words for people; one with a wrong check digit was mistyped or made up. */
export const loincText = (code: string): string => `loinc ${code}${isLoinc(code) ? '' : ' (wrong check digit)'}`;
