export { reads } from './read.ts';
export { writes, writesMany } from './write.ts';
