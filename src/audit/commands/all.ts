export { reads } from './read.ts';
export { writes } from './write.ts';
