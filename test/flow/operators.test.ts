import { describe, expect, jest, test } from '@jest/globals';
import { PLACES } from '../support/new-store.ts';
import { GOOD_PASSWORD, openDesk } from '../support/operator-desk.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

describe.each(PLACES)('the life of an operator on %s', (_engine, makePlace) => {
  test('added, signed in, proved, changed, reset, disabled and removed', async () => {
    const desk = await openDesk({ makePlace });
    const { own, totp, id } = await desk.administrator();
    const ada = await desk.addOperator('ada', ['viewer']);
    const hers = desk.browser();
    expect((await hers.signIn('ADA')).body['stage']).toBe('signed-in');
    expect((await hers.session('GET', '')).body).toMatchObject({ roles: ['viewer'], permissions: ['flow.read'] });
    expect((await hers.ask('GET', '/admin/api/operators')).body).toMatchObject({
      code: 'admin.forbidden',
      at: 'operators.read',
    });

    const other = desk.browser();
    await other.signIn('ada');
    const change = (current: string, password: string) => hers.session('PUT', '/password', { current, password });
    expect((await change('wrong-password-here', 'quartz-lemur-sonnet-3')).body['code']).toBe('operator.refused');
    expect((await change(GOOD_PASSWORD, 'lemur-ada-ada')).body['code']).toBe('operator.weak-password');
    expect((await change(GOOD_PASSWORD, 'quartz-lemur-sonnet-3')).status).toBe(200);
    expect((await other.session('GET', '')).status).toBe(401);
    expect((await desk.browser().signIn('ada')).status).toBe(401);
    expect((await desk.browser().signIn('ada', 'quartz-lemur-sonnet-3')).status).toBe(200);

    const act = async (method: string, path: string, body?: unknown) =>
      (await own.ask(method, `/admin/api/operators/${ada}${path}`, body)).status;
    expect(await act('PUT', '/roles', { roles: ['engineer', 'auditor'] })).toBe(200);
    expect((await hers.session('GET', '')).body['roles']).toEqual(['engineer', 'auditor']);
    expect(await act('POST', '/disable')).toBe(200);
    expect((await hers.session('GET', '')).status).toBe(401);
    expect((await desk.browser().signIn('ada', 'quartz-lemur-sonnet-3')).body['code']).toBe('operator.refused');
    expect(await act('POST', '/enable')).toBe(200);
    expect(await act('POST', '/reset')).toBe(200);
    expect((await desk.browser().signIn('ada', 'quartz-lemur-sonnet-3')).status).toBe(401);
    expect(await act('DELETE', '')).toBe(200);
    expect(await act('GET', '')).toBe(404);

    const factors = (await own.session('GET', '')).body['factors'] as { id: string }[];
    expect((await own.session('DELETE', `/factors/${factors[0]?.id ?? ''}`)).body['code']).toBe('operator.last-factor');
    desk.clock.advance(60_000);
    expect((await own.session('POST', '/proof', { code: desk.codeOf(totp) })).status).toBe(200);
    const listed = (await own.ask('GET', '/admin/api/operators')).body['operators'] as { id: string }[];
    expect(listed.map((one) => one.id)).toEqual([id]);
  });
});
