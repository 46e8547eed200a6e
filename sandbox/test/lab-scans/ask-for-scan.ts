import { fileBeside, makeAskThread } from '../../../src/kernel/index.ts';
import type { Scan } from './scan.ts';
import type { ScanQuestion } from './scan-thread.ts';

/** In a thread: a test's own context is too slow for pixels. */
export const askForScan = makeAskThread<ScanQuestion, Scan>(fileBeside(import.meta.url, './scan-thread'), null);
