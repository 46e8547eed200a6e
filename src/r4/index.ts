export { type Issue } from './issue.ts';
export { RULES } from './rules.ts';
export { loadValidator, type Validator, type ValidatorOptions } from './validator.ts';
export { parseLossless } from './json/parse-lossless.ts';
export { type JsonFault, JSON_RULES } from './json/json-fault.ts';
export { type JsonLimits, JSON_LIMITS } from './json/limits.ts';
