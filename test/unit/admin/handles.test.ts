import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { CONTRACTS, makeHandles, type Contract } from '../../../src/admin/index.ts';
import { HANDLED } from '../../../src/admin/contract/fields.ts';
import { isHandle, type Handled } from '../../../src/admin/contract/handle-shape.ts';
import { openHandles } from '../../../src/admin/open-handles.ts';
import { isMrn, isUserId } from '../../../src/identity/index.ts';
import { someKey } from '../../support/new-store.ts';

const key = someKey();
const handles = makeHandles({ key, tenant: 'default' });
const KINDS = fc.constantFrom<Handled>('mrn', 'user');
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });
const mrns = anyText.filter(isMrn);
const users = anyText.filter(isUserId);
const OF = { mrn: mrns, user: users };
const named = KINDS.chain((of) => OF[of].map((value) => ({ of, value })));

describe('a handle', () => {
  test('opens to the value it was made of, at every process and start of the gateway, and is always the same', () => {
    fc.assert(
      fc.property(named, ({ of, value }) => {
        const handle = handles.make(of, value);
        const later = makeHandles({ key, tenant: 'default' });
        expect(later.open(of, handle)).toBe(value);
        expect(later.make(of, value)).toBe(handle);
      }),
    );
  });

  test('of which any character was changed, put in or taken away opens to nothing', () => {
    const characters = fc.constantFrom('A', 'B', 'x', 'y', '0', '9', '-', '_', '~', '.', '=', '/', '+', ' ', 'é');
    fc.assert(
      fc.property(named, fc.nat(), characters, fc.constantFrom(0, 1), ({ of, value }, at, other, taken) => {
        const handle = handles.make(of, value);
        const place = at % handle.length;
        const changed = handle.slice(0, place) + other + handle.slice(place + taken);
        fc.pre(changed !== handle);
        expect(handles.open(of, changed)).toBeNull();
        expect(handles.open(of, handle.slice(0, place))).toBeNull();
      }),
    );
  });

  test('of another gateway, another tenant or the other kind opens to nothing', () => {
    fc.assert(
      fc.property(named, ({ of, value }) => {
        const handle = handles.make(of, value);
        expect(makeHandles({ key: someKey(), tenant: 'default' }).open(of, handle)).toBeNull();
        expect(makeHandles({ key, tenant: 'other' }).open(of, handle)).toBeNull();
        const [other, prefix] = of === 'mrn' ? (['user', '~u.'] as const) : (['mrn', '~m.'] as const);
        expect(handles.open(other, handle)).toBeNull();
        expect(handles.open(other, prefix + handle.slice(3))).toBeNull();
      }),
    );
  });

  test('holds nothing of the value, nor its length', () => {
    const lengths = new Set(Array.from({ length: 31 }, (_, i) => handles.make('mrn', 'x'.repeat(i + 1)).length));
    expect([...lengths]).toEqual([67]);
    fc.assert(
      fc.property(named, ({ of, value }) => {
        fc.pre(value.length > 4);
        expect(handles.make(of, value)).not.toContain(value);
      }),
    );
  });

  test('is no MRN and no user, and none of those is a handle', () => {
    fc.assert(
      fc.property(named, ({ of, value }) => {
        const handle = handles.make(of, value);
        expect([isHandle(handle), isMrn(handle), isUserId(handle)]).toEqual([true, false, false]);
        expect([isHandle(value), isHandle(`~m.${value}`.slice(0, 64)), isHandle(`~u.${value}`.slice(0, 50))]).toEqual([
          false,
          false,
          false,
        ]);
      }),
    );
  });
});

const takesHandle = (schema: z.ZodType): boolean => {
  const { innerType } = schema.def as unknown as { readonly innerType?: z.ZodType };
  return HANDLED.get(schema) !== undefined || (innerType !== undefined && takesHandle(innerType));
};

describe.each(Object.entries<Contract>(CONTRACTS))('%s', (id, { params, query, body }) => {
  const shapes = [params, query, body?.kind === 'json' ? body.schema : undefined].flatMap((schema) =>
    schema !== undefined && 'shape' in schema ? Object.entries(schema.shape as Record<string, z.ZodType>) : [],
  );
  const naming = shapes.filter(
    ([name]) => ['mrn', 'user_id', 'user'].includes(name) || (id.startsWith('audit.') && name === 'patient'),
  );
  test('takes a handle wherever it takes an MRN or a user', () => {
    expect(naming.filter(([, schema]) => !takesHandle(schema)).map(([name]) => name)).toEqual([]);
  });
});

describe('what stands in the place of a handle', () => {
  const handle = handles.make('mrn', '0012');
  const opened = (id: keyof typeof CONTRACTS, part: 'params' | 'query' | 'body', given: unknown): unknown => {
    const contract: Contract = CONTRACTS[id];
    const schema =
      part === 'body' ? (contract.body?.kind === 'json' ? contract.body.schema : undefined) : contract[part];
    if (schema === undefined) throw new Error('no such part');
    return openHandles(schema, given, handles.open);
  };

  test('is the value: in a path, a query, a body, and inside of either', () => {
    expect(opened('patients.timeline', 'params', { mrn: handle })).toEqual({ mrn: '0012' });
    expect(opened('deliveries.list', 'query', { mrn: handle, reason: handle })).toEqual({
      mrn: '0012',
      reason: handle,
    });
    expect(opened('links.put', 'body', { mrn: handle, evidence: handle })).toEqual({ mrn: '0012', evidence: handle });
    const search = { name: 'x', search: { patient: handle } };
    expect(opened('audit.saveSearch', 'body', search)).toEqual({ name: 'x', search: { patient: '0012' } });
    expect(opened('handles.open', 'body', { handles: [handle] })).toEqual({ handles: ['0012'] });
  });

  test('is nothing that a field takes, where it was forged', () => {
    const forged = `${handle.slice(0, -1)}${handle.endsWith('A') ? 'B' : 'A'}`;
    expect(opened('deliveries.list', 'query', { mrn: forged })).toEqual({ mrn: false });
    expect(opened('links.get', 'params', { user_id: handle })).toEqual({ user_id: false });
  });

  test('is what was given, where that only looks like one', () => {
    expect(opened('links.put', 'body', { mrn: '~m.12' })).toEqual({ mrn: '~m.12' });
    expect(opened('handles.make', 'body', { mrns: [handle], users: [handle] })).toEqual({
      mrns: [handle],
      users: [handle],
    });
    expect(opened('links.put', 'body', null)).toBeNull();
    expect(opened('links.put', 'body', { mrn: [handle] })).toEqual({ mrn: [handle] });
  });
});
