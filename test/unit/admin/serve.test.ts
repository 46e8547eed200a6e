import { expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { CONTRACTS, serveRoute } from '../../../src/admin/index.ts';
import { defineRoute, type AdminRoute } from '../../../src/admin/define-route.ts';
import { fail, fault, ok, silentLog, type Ask } from '../../../src/kernel/index.ts';

const recorded: unknown[] = [];
const recorders = {
  record: (by: Pick<Ask, 'caller'>, act: { readonly why?: string }) => {
    recorded.push([by.caller?.name, act.why]);
    return Promise.resolve(ok(null));
  },
  recordLater: (by: Pick<Ask, 'caller'>, why: string) => void recorded.push([by.caller?.name, why]),
};
const caller = {
  kind: 'person',
  id: 'opr_ann',
  name: 'ann',
  roles: ['auditor'],
  permissions: new Set(['audit.read']),
  isProved: true,
  absent: null,
} as const;
const asking = (url: string, who: Pick<Ask, 'caller'> = { caller }): Ask =>
  ({
    request: Object.assign(Readable.from([]), { url, headers: {}, socket: { writable: true } }),
    params: {},
    requestId: 'req_x',
    log: silentLog,
    setHeader: () => undefined,
    ...who,
  }) as unknown as Ask;
const serve = (route: AdminRoute) => serveRoute(route, recorders);
const KEY = { key: 'k', earlier: [], checkpoint: null };

test('the record names the caller and the act of the contract', async () => {
  recorded.length = 0;
  const route = serve(
    defineRoute('audit.key', async (_input, { record }) => {
      const written = await record({ action: 'R', outcome: '0' });
      return written.ok ? ok(KEY) : written;
    }),
  );
  expect(route).toMatchObject({ access: 'admin', permission: CONTRACTS['audit.key'].permission });
  expect(await route.handle(asking('/x'))).toMatchObject({ ok: true, value: { status: 200 } });
  expect(recorded).toEqual([['ann', 'audit.key']]);
});

test('an answer that was to be recorded and is not is a bug, and shows nothing', async () => {
  const route = serve(defineRoute('audit.key', () => ok(KEY)));
  await expect(Promise.resolve(route.handle(asking('/x')))).rejects.toThrow('without a record');
});

test('an act under a name that the contract has not is a bug', async () => {
  const route = serve(
    defineRoute('audit.key', async (_input, { record }) => {
      const written = await record({ action: 'R', outcome: '0', why: 'audit.search' });
      return written.ok ? ok(KEY) : written;
    }),
  );
  await expect(Promise.resolve(route.handle(asking('/x')))).rejects.toThrow('no act of this name');
});

test('a parameter that the handler refuses is told with what would be taken', async () => {
  const route = serve(defineRoute('audit.search', () => fail(fault('admin.parameter', { at: 'cursor' }))));
  const detail = '`cursor` must be `next` of the answer before, as it is.';
  expect(await route.handle(asking('/x?cursor=abc'))).toMatchObject({ fault: { detail, problems: [detail] } });
});

test('nobody is served without having been authenticated', async () => {
  const route = serve(defineRoute('audit.key', () => ok(KEY)));
  await expect(Promise.resolve(route.handle(asking('/x', {})))).rejects.toThrow('nobody was authenticated');
});
