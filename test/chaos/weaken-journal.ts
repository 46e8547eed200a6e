/*
 * Preloaded (--import) into a gateway, this opens its journal so that a write to it is on the disk some time later, and
 * lets it believe otherwise: the defect that the power-loss test must find.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { openSync } = fs;
const { O_DSYNC } = fs.constants;

fs.openSync = (path, flags, mode) => openSync(path, typeof flags === 'number' ? flags & ~O_DSYNC : flags, mode);
syncBuiltinESMExports();
