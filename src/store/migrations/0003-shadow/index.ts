import type { Migration } from '../migration.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/*
 * Shadow mode. While `target.shadow_since` is set nothing is claimed. `shadow_result` holds what was found out about a
 * waiting job, `shadow_item` the resources that it is about, by a keyed hash of their names: enough to count each of
 * them once, and nothing that leads to a person.
 */

export const shadow: Migration = { version: 3, name: 'shadow', sqlite, postgres };
