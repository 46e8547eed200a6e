import { words } from '../../store/index.ts';
import { ENROL_TABLES } from '../commands.ts';

/** The tables with rows of a user, as statements name them. */
export const TABLES = ENROL_TABLES.map((table) => ({ table, name: words(table) }));
