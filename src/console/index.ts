export { makeConsoleMount } from './mount.ts';
