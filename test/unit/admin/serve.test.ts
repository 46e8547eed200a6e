import { describe, expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { CONTRACTS, serveRoute } from '../../../src/admin/index.ts';
import { toReasonHeader } from '../../../src/admin/reason-header.ts';
import type { Act } from '../../../src/admin/record-act.ts';
import { defineRoute, type AdminRoute } from '../../../src/admin/define-route.ts';
import { fail, fault, ok, silentLog, type Ask } from '../../../src/kernel/index.ts';

const recorded: unknown[] = [];
const recorders = {
  record: (by: Pick<Ask, 'caller'>, act: Act) => {
    const { why, reason, outcome } = act;
    recorded.push(outcome === '0' && reason === undefined ? [by.caller?.name, why] : [why, outcome, reason ?? null]);
    return Promise.resolve(ok(null));
  },
  recordLater: (by: Pick<Ask, 'caller'>, why: string) => void recorded.push([by.caller?.name, why]),
  restrictedAmong: (patients: readonly { readonly system: string; readonly mrn: string }[]) =>
    Promise.resolve(ok(patients.filter(({ mrn }) => mrn === 'restricted'))),
  openHandle: () => null,
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
const asking = (
  url: string,
  who: Pick<Ask, 'caller'> = { caller },
  headers: Readonly<Record<string, string>> = {},
): Ask =>
  ({
    request: Object.assign(Readable.from([]), { url, headers, socket: { writable: true } }),
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

describe('a patient who is restricted', () => {
  const looking = (act: Pick<Act, 'action' | 'patients' | 'toSeal'>) =>
    serve(
      defineRoute('audit.key', async (_input, { record }) => {
        const written = await record({ outcome: '0', ...act });
        return written.ok ? ok(KEY) : written;
      }),
    );
  const patients = [
    { system: 's', mrn: 'open' },
    { system: 's', mrn: 'restricted' },
  ];
  const reason = { 'chartgate-reason': 'Called by the ward' };
  const ask = (act: Pick<Act, 'action' | 'patients' | 'toSeal'>, headers: Readonly<Record<string, string>> = {}) => {
    recorded.length = 0;
    return looking(act).handle(asking('/x', { caller }, headers));
  };

  test('is shown to nobody who does not say why, whichever route it is, and that is recorded', async () => {
    for (const act of [{ patients }, { toSeal: { patient: { system: 's', mrn: 'restricted' } } }]) {
      expect(await ask({ action: 'R', ...act })).toMatchObject({ fault: { code: 'admin.reason-needed' } });
      expect(recorded).toEqual([['audit.key', '4', null]]);
    }
  });

  test('is shown to who says why, and the reason is recorded', async () => {
    expect(await ask({ action: 'R', patients }, reason)).toMatchObject({ ok: true });
    expect(recorded).toEqual([['audit.key', '0', 'Called by the ward']]);
  });

  test('keeps nobody from others, and undoes nothing that was done', async () => {
    expect(await ask({ action: 'R', patients: patients.slice(0, 1) })).toMatchObject({ ok: true });
    expect(await ask({ action: 'U', patients })).toMatchObject({ ok: true });
  });

  test.each(['Zavolalo oddělení č. 3', 'Звонок из отделения', 'über', 'Called by the ward'])(
    'a reason may be in any letters: %s',
    async (said) => {
      recorded.length = 0;
      const header = { 'chartgate-reason': toReasonHeader(said) };
      expect(/^[\x20-\x7e]+$/.test(header['chartgate-reason'])).toBe(true);
      expect(await ask({ action: 'R', patients }, header)).toMatchObject({ ok: true });
      expect(recorded.flat()).toContain(said);
    },
  );

  test.each(["UTF-8''%", "UTF-8''%ff%fe%fd", "UTF-8''a%00b"])('what is no text is no reason: %s', async (given) => {
    expect(await ask({ action: 'R', patients }, { 'chartgate-reason': given })).toMatchObject({
      fault: { code: 'admin.parameter', at: 'Chartgate-Reason' },
    });
  });

  test('a reason that says nothing is refused with what would be taken', async () => {
    expect(await ask({ action: 'R', patients }, { 'chartgate-reason': '?' })).toMatchObject({
      fault: { code: 'admin.parameter', at: 'Chartgate-Reason', detail: expect.stringContaining('3 to 200') },
    });
    expect(recorded).toEqual([]);
  });
});
