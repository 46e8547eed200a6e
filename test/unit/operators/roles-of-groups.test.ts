import { expect, test } from '@jest/globals';
import { rolesOfGroups } from '../../../src/operators/provider.ts';
import type { Role } from '../../../src/operators/index.ts';

const GROUPS = new Map<string, readonly Role[]>([
  ['it', ['engineer', 'viewer']],
  ['leads', ['administrator', 'engineer']],
]);

test.each([
  [
    ['it', 'leads'],
    ['viewer', 'engineer', 'administrator'],
  ],
  [
    ['it', 'it', 'other'],
    ['viewer', 'engineer'],
  ],
  ['leads', ['engineer', 'administrator']],
  [['IT'], []],
  [undefined, []],
  [[7, null, { it: true }], []],
])('the groups %j have the roles %j', (claim, roles) => {
  expect(rolesOfGroups(claim, GROUPS)).toEqual(roles);
});
