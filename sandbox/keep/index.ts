export { linesOf, openKeep, type Keep, type Table } from './keep.ts';
