import { z } from 'zod';
import { set, wholeNumber } from './key-kinds.ts';

/** Bulk exports of apps. */
export const EXPORT_KEYS = {
  CHARTGATE_EXPORTS: set(
    'number',
    '2',
    'how many bulk exports one app may have under way, 1 to 20',
    wholeNumber.pipe(z.number().min(1).max(20)),
  ),
  CHARTGATE_EXPORT_HOURS: set(
    'number',
    '24',
    'how long the files of a bulk export can be fetched before they are destroyed, 1 to 720',
    wholeNumber.pipe(z.number().min(1).max(720)),
  ),
  CHARTGATE_EXPORT_REQUESTS: set(
    'number',
    '4',
    'how many requests to the EHR the bulk exports of a process have under way at once, 1 to 32; one while an app reads or a delivery is written',
    wholeNumber.pipe(z.number().min(1).max(32)),
  ),
};
