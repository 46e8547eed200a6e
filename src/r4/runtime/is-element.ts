import { isObject } from '../../kernel/index.ts';
import type { Json } from './context.ts';
import { isRawNumber } from './raw-number.ts';

/** An object of a resource: one that has elements. A number whose digits are kept is an object to JavaScript only. */
export const isElement = (value: unknown): value is Json => isObject(value) && !isRawNumber(value);
