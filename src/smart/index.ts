/**
 * The SMART read API: a request is parsed, decided, asked of the EHR anew, and every entry of the answer is checked.
 */
export { loadServed } from './served-types.ts';
export { type LoadedProfiles } from './answer-validate.ts';
export { makeSmart, type Smart, type SmartDeps, type SmartTokens } from './make-smart.ts';
export { type ReadKit } from './read-kit.ts';
