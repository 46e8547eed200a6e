export { makeHandbookMount } from './mount.ts';
