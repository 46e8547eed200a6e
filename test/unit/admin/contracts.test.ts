import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import ts from 'typescript';
import { CONTRACTS, GROUPS, type Contract } from '../../../src/admin/index.ts';
import { isEvidence, isMrn, isUserId, LINK_STATUSES } from '../../../src/identity/index.ts';
import { AUDIT_TYPES, OUTCOMES } from '../../../src/audit/index.ts';
import { CLIENT_KINDS } from '../../../src/auth/index.ts';
import { SHADOW_KINDS } from '../../../src/forward/index.ts';
import { STATES } from '../../../src/inbox/index.ts';
import { readInstant } from '../../../src/kernel/index.ts';
import { KEY_DAYS_MAX, PERMISSIONS, ROLES } from '../../../src/operators/index.ts';
import * as fields from '../../../src/admin/contract/fields.ts';
import { sayField, saySchema } from '../../../src/admin/contract/say-schema.ts';
import { describeApi } from '../../../tools/describe-api.ts';
import { read } from '../../support/source-files.ts';

const ALL = Object.entries<Contract>(CONTRACTS);

describe.each(ALL)('%s', (id, contract) => {
  test('is whole: id, permission, summary, group, answer, and what is recorded', () => {
    expect(contract.id).toBe(id);
    if (contract.permission !== null) expect(PERMISSIONS).toContain(contract.permission);
    else expect(contract.presence.length).toBeGreaterThan(3);
    expect(contract.summary.length).toBeGreaterThan(3);
    expect(Object.keys(GROUPS)).toContain(contract.group);
    expect(contract.answer).toBeDefined();
    expect(contract.answers.length).toBeGreaterThan(3);
    expect(['act', 'later', 'by-command', 'no']).toContain(contract.audited.kind);
  });

  test('has a schema for every part of its path, and no other', () => {
    const named = [...contract.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(contract.params?.shape ?? {})).toEqual(named);
  });

  test('says of every parameter and field what is taken', () => {
    const body = contract.body?.kind === 'json' && 'shape' in contract.body.schema ? contract.body.schema.shape : {};
    const all = { ...contract.params?.shape, ...contract.query?.shape, ...(body as object) };
    for (const [name, schema] of Object.entries(all))
      expect([name, saySchema(schema as never)]).not.toEqual([name, 'another value']);
  });
});

test('no two contracts have one method and path', () => {
  const routes = ALL.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test('openapi/openapi.json is what the contracts say: npm run openapi', async () => {
  const made = await describeApi(JSON.parse(read('openapi/base.json')) as Record<string, unknown>);
  expect(made === read('openapi/openapi.json')).toBe(true);
});

describe('what a contract lists', () => {
  const query = (id: keyof typeof CONTRACTS, name: string): string =>
    saySchema((CONTRACTS[id] as Contract).query?.shape[name] as never);

  test.each([
    [query('deliveries.list', 'state'), STATES],
    [query('links.list', 'status'), LINK_STATUSES],
    [query('audit.search', 'type'), AUDIT_TYPES],
    [query('audit.search', 'outcome'), [...OUTCOMES, 'refused']],
    [query('shadow.deliveries', 'kind'), SHADOW_KINDS],
  ])('%s: is what its module knows', (said, known) => {
    expect(said).toBe(`one of ${known.join(', ')}`);
  });

  test('roles, permissions and the days of a key too', () => {
    const { roles, permissions, days } = CONTRACTS['keys.add'].body.schema.shape;
    const some = (all: readonly string[]) => `a list of some of these, each once: ${all.join(', ')}`;
    expect([saySchema(roles), saySchema(permissions)]).toEqual([some(ROLES), some(PERMISSIONS)]);
    expect(saySchema(days)).toBe(`a whole number from 1 to ${KEY_DAYS_MAX}`);
  });

  test('kinds of apps too', () => {
    expect(sayField('kind', CONTRACTS['apps.add'].body.schema.shape.kind)).toBe(
      `\`kind\` must be one of ${CLIENT_KINDS.join(', ')}.`,
    );
  });
});

describe('a contract takes what the module behind it takes, and nothing else', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: 'binary', maxLength: 70 }),
    fc.constantFrom('.', '..', ' 1', '1 ', '\ud800', '\u200b', '\ufffd', '\u00ad', 'a\u0000b', 'x'.repeat(65)),
  );
  test.each([
    ['an MRN', fields.mrn, isMrn],
    ['a user id', fields.userId, isUserId],
    ['evidence', fields.evidence, isEvidence],
  ] as const)('%s', (_what, schema, isGood) => {
    fc.assert(fc.property(text, (given) => schema.safeParse(given).success === isGood(given)));
  });

  test('an instant', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
    const zone = fc.oneof(
      fc.constantFrom('Z', '', '+14:00', '-14:00', '+14:01'),
      fc.tuple(fc.constantFrom('+', '-'), two(15), two(61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    );
    const day = fc.tuple(fc.constantFrom('2024', '2025', '0000', '9999'), two(14), two(33));
    const instant = fc
      .tuple(day, two(25), two(61), fc.option(two(62)), zone)
      .map(([[y, m, d], h, min, s, z]) => `${y}-${m}-${d}T${h}:${min}${s === null ? '' : `:${s}`}${z}`);
    fc.assert(
      fc.property(instant, (given) => fields.instant.safeParse(given).success === (readInstant(given) !== null)),
      { numRuns: 2_000 },
    );
  });
});

test('the client and the contracts need nothing of Node, nor another module', () => {
  const seen = new Set<string>();
  const look = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      const isImport = ts.isImportDeclaration(statement);
      if (!isImport && !ts.isExportDeclaration(statement)) continue;
      const isType = isImport
        ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
        : statement.isTypeOnly;
      const { moduleSpecifier: from } = statement;
      if (isType || from === undefined || !ts.isStringLiteral(from)) continue;
      if (from.text.startsWith('.')) look(new URL(from.text, `file:///${file}`).pathname.slice(1));
      else expect([file, from.text]).toEqual([file, 'zod']);
    }
  };
  look('src/admin/client.ts');
  look('src/admin/contract/index.ts');
  expect([...seen].filter((file) => !file.startsWith('src/admin/'))).toEqual([]);
  expect(seen.size).toBeGreaterThan(12);
});
