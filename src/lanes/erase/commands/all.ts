import type { Programs } from '../../../store/index.ts';
import type { EraseReads, EraseWrites } from '../commands.ts';
import { eraseSome, finish } from './erase.ts';
import { look } from './look.ts';

export const writes: Programs<EraseWrites> = { 'erase.some': eraseSome, 'erase.finish': finish };

export const reads: Programs<EraseReads> = { 'erase.look': look };
