import { describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { PLACES } from '../support/new-store.ts';
import { GOOD_PASSWORD, openDesk as openDeskAt, PUBLIC_URL } from '../support/operator-desk.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

const MINUTE = 60_000;

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  const openDesk = (more: Parameters<typeof openDeskAt>[0] = {}) => openDeskAt({ makePlace, ...more });

  describe('a session', () => {
    test('is never one that somebody else chose, and its secret changes with every stage', async () => {
      const desk = await openDesk();
      const { name, totp } = await desk.administrator();
      const victim = desk.browser();
      victim.cookie = 'A'.repeat(43);
      await victim.signIn(name);
      const afterPassword = victim.cookie;
      desk.clock.advance(MINUTE);
      expect((await victim.session('POST', '/code', { code: desk.codeOf(totp) })).body['stage']).toBe('signed-in');
      const afterCode = victim.cookie;
      expect(new Set(['A'.repeat(43), afterPassword, afterCode]).size).toBe(3);
      for (const old of ['A'.repeat(43), afterPassword]) {
        const thief = desk.browser();
        thief.cookie = old;
        expect((await thief.session('GET', '')).body['code']).toBe('operator.unauthenticated');
      }
    });

    test('is bound to its host, hidden from scripts, and never sent by other sites with a change', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['viewer']);
      const answer = await desk.browser().signIn('ada');
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Host-chartgate-operator=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=43200$/,
      );
    });

    test('before its second factor opens nothing, and locked nothing of a patient', async () => {
      const desk = await openDesk();
      const { name, totp, own } = await desk.administrator();
      const half = desk.browser();
      await half.signIn(name);
      for (const path of ['probe', 'operators', 'keys', 'session/all'])
        expect((await half.ask('GET', `/admin/api/${path}`)).body['code']).toBe('operator.factor-needed');
      expect((await half.session('POST', '/factors/totp')).body['code']).toBe('operator.factor-needed');
      expect((await half.session('GET', '')).body['factors']).toEqual([{ kind: 'totp' }]);
      expect((await own.ask('GET', '/admin/api/probe')).status).toBe(200);
      desk.clock.advance(15 * MINUTE);
      for (const path of ['probe', 'operators', 'session/all'])
        expect((await own.ask('GET', `/admin/api/${path}`)).body['code']).toBe('operator.locked');
      // The second factor alone does not unlock.
      expect((await own.session('POST', '/code', { code: desk.codeOf(totp) })).body['code']).toBe('operator.locked');
      expect((await own.session('POST', '/unlock', { password: GOOD_PASSWORD })).body['stage']).toBe('factor');
      expect((await own.session('POST', '/code', { code: desk.codeOf(totp) })).body['stage']).toBe('signed-in');
      expect((await own.ask('GET', '/admin/api/probe')).status).toBe(200);
    });

    test('is kept awake by a person and by nothing else, and ends after 12 hours', async () => {
      const desk = await openDesk();
      const { own } = await desk.administrator();
      for (let n = 0; n < 3; n += 1) {
        desk.clock.advance(10 * MINUTE);
        expect((await own.ask('GET', '/admin/api/probe')).status).toBe(200);
        await desk.seenNow(own);
      }
      desk.clock.advance(10 * MINUTE);
      await own.ask('GET', '/admin/api/probe', undefined, { 'x-chartgate-unattended': 'yes' });
      await own.ask('GET', '/admin/api/probe', undefined, { accept: 'text/event-stream' });
      desk.clock.advance(6 * MINUTE);
      expect((await own.ask('GET', '/admin/api/probe')).body['code']).toBe('operator.locked');
      desk.clock.advance(12 * 60 * MINUTE);
      expect((await own.session('GET', '')).body['code']).toBe('operator.unauthenticated');
    });

    test('ends for whoever signed out, at every place', async () => {
      const desk = await openDesk();
      const { own } = await desk.administrator();
      const copy = desk.browser();
      [copy.cookie, copy.csrf] = [own.cookie, own.csrf];
      expect((await own.session('DELETE', '')).status).toBe(200);
      expect(own.cookie).toBeNull();
      expect((await copy.session('GET', '')).status).toBe(401);
    });
  });

  describe('a change from another site', () => {
    const FORGED: readonly (readonly [string, Readonly<Record<string, string | null>>])[] = [
      ['another origin', { origin: 'https://evil.example' }],
      ['no origin at all', { origin: null }],
      ['a null origin', { origin: 'null' }],
      ['the same site under another name', { 'sec-fetch-site': 'same-site' }],
      ['a cross-site request', { origin: null, 'sec-fetch-site': 'cross-site' }],
      ['no token', { 'x-chartgate-csrf': null }],
      ['a token that is none', { 'x-chartgate-csrf': 'A'.repeat(43) }],
    ];
    test('is refused, however it is forged', async () => {
      const desk = await openDesk();
      const { own } = await desk.administrator();
      for (const [name, headers] of FORGED)
        for (const [method, path] of [
          ['POST', '/admin/api/probe'],
          ['POST', '/admin/api/operators'],
          ['DELETE', '/admin/api/session'],
        ] as const)
          expect([name, (await own.ask(method, path, undefined, headers)).body['code']]).toEqual([
            name,
            'operator.csrf',
          ]);
      expect((await own.ask('POST', '/admin/api/probe')).status).toBe(200);
    });

    test('is refused with the token of another session', async () => {
      const desk = await openDesk();
      const first = await desk.administrator('first.admin');
      const second = await desk.administrator('second.admin');
      const headers = { 'x-chartgate-csrf': second.own.csrf };
      expect((await first.own.ask('POST', '/admin/api/probe', undefined, headers)).body['code']).toBe('operator.csrf');
    });

    test('signs nobody in', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['viewer']);
      const given = { name: 'ada', password: GOOD_PASSWORD };
      for (const origin of ['https://evil.example', null])
        expect((await desk.browser().session('POST', '', given, { origin })).body['code']).toBe('operator.csrf');
    });
  });

  describe('a code', () => {
    test('is good once, also in another session, and only now or a step beside', async () => {
      const desk = await openDesk();
      const { name, totp } = await desk.administrator();
      desk.clock.advance(5 * MINUTE);
      const [first, second] = [desk.browser(), desk.browser()];
      await first.signIn(name);
      await second.signIn(name);
      const code = desk.codeOf(totp);
      expect((await first.session('POST', '/code', { code: desk.codeOf(totp, -2) })).body['code']).toBe(
        'operator.refused',
      );
      expect((await first.session('POST', '/code', { code })).status).toBe(200);
      expect((await second.session('POST', '/code', { code })).body['code']).toBe('operator.refused');
      expect((await second.session('POST', '/code', { code: desk.codeOf(totp, -1) })).body['code']).toBe(
        'operator.refused',
      );
      expect((await second.session('POST', '/code', { code: desk.codeOf(totp, 1) })).status).toBe(200);
    });

    test('is not guessed: five wrong ones end the session, and the person waits wherever they come from', async () => {
      const desk = await openDesk();
      const { name } = await desk.administrator();
      const guesser = desk.browser();
      await guesser.signIn(name);
      const codes: unknown[] = [];
      for (let n = 0; n < 7; n += 1)
        codes.push((await guesser.session('POST', '/code', { code: `00000${n}` })).body['code']);
      expect(codes.filter((code) => code === 'operator.refused').length).toBeLessThan(6);
      expect(codes.at(-1)).toMatch(/operator\.(unauthenticated|too-many)/);
      const again = desk.browser();
      await again.signIn(name);
      expect((await again.session('POST', '/code', { code: '123456' })).body['code']).toBe('operator.too-many');
    });
  });

  describe('a name that nobody has', () => {
    test('is answered like one that somebody has: status, words, headers and waiting', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['viewer']);
      await desk.addOperator('gone', ['viewer']);
      const all = (await desk.machine()('GET', 'operators')).body['operators'] as { id: string; name: string }[];
      const gone = all.find(({ name }) => name === 'gone')?.id ?? '';
      await desk.machine()('POST', `operators/${gone}/disable`);
      const shapes = [];
      for (const name of ['ada', 'nobody', 'gone']) {
        const answers = [];
        for (let n = 0; n < 6; n += 1) {
          const { status, body, headers } = await desk.browser().signIn(name, 'wrong-password-here');
          const { request_id: _request, ...rest } = body;
          answers.push([status, rest, [...headers.keys()].sort().filter((one) => one !== 'content-length')]);
        }
        shapes.push(answers);
      }
      expect(shapes[1]).toEqual(shapes[0]);
      expect(shapes[2]).toEqual(shapes[0]);
    });

    test('costs the store and the password check as much', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['viewer']);
      const spent = async (name: string): Promise<number> => {
        const before = desk.store.figures().commands;
        await desk.browser().signIn(name, 'wrong-password-here');
        return desk.store.figures().commands - before;
      };
      expect(await spent('nobody')).toBe(await spent('ada'));
      const whys = (await desk.records()).filter(({ type }) => type === 'operator.sign-in').map(({ why }) => why);
      expect(whys).toEqual(expect.arrayContaining(['unknown-name', 'wrong-password']));
    });

    test('many wrong passwords from elsewhere do not keep the owner out', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['viewer']);
      const codes = [];
      for (let n = 0; n < 8; n += 1) codes.push((await desk.browser().signIn('ada', 'wrong-password-here')).status);
      expect(codes).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      desk.clock.advance(5 * MINUTE);
      expect((await desk.browser().signIn('ada')).status).toBe(200);
      expect(desk.denied.map(({ why }) => why)).toContain('operator-sign-in:wait');
    });
  });

  describe('nobody rises', () => {
    test('by a role that they have no right to give', async () => {
      const desk = await openDesk();
      const { own, id } = await desk.administrator();
      const key = async (body: object) => String((await desk.machine()('POST', 'keys', body)).body['key']);
      const person = { name: 'eve', displayName: 'Eve', roles: ['administrator'] };
      // A key that may add operators, and nothing of what an administrator may beside that.
      const adder = desk.machine(
        await key({ name: 'adder', permissions: ['operators.read', 'operators.change', 'flow.read'] }),
      );
      expect((await adder('POST', 'operators', person)).body['code']).toBe('operator.escalation');
      expect((await adder('POST', 'operators', { ...person, roles: ['viewer'] })).status).toBe(201);
      expect((await adder('POST', `operators/${id}/reset`)).body['code']).toBe('operator.escalation');
      expect((await adder('DELETE', `operators/${id}`)).body['code']).toBe('operator.escalation');
      const keeper = desk.machine(await key({ name: 'keeper', permissions: ['keys.change'] }));
      expect((await keeper('POST', 'keys', { name: 'x', permissions: ['audit.export'] })).body['code']).toBe(
        'operator.escalation',
      );
      expect((await keeper('POST', 'operators', person)).body).toMatchObject({
        code: 'admin.forbidden',
        at: 'operators.change',
      });
      expect((await own.ask('PUT', `/admin/api/operators/${id}/roles`, { roles: ['auditor'] })).body['code']).toBe(
        'operator.escalation',
      );
    });

    test('by removing the last administrator, or being told apart from them', async () => {
      const desk = await openDesk();
      const { id } = await desk.administrator();
      const ask = desk.machine();
      for (const [method, path, body] of [
        ['DELETE', `operators/${id}`, undefined],
        ['POST', `operators/${id}/disable`, undefined],
        ['PUT', `operators/${id}/roles`, { roles: ['viewer'] }],
      ] as const)
        expect((await ask(method, path, body)).body['code']).toBe('operator.last-administrator');
    });

    test('without a second proof of the last five minutes, which an open session cannot make for itself', async () => {
      const desk = await openDesk();
      const { own, totp } = await desk.administrator();
      const add = (name: string) =>
        own.ask('POST', '/admin/api/operators', { name, displayName: name, roles: ['viewer'] });
      expect((await add('one')).status).toBe(201);
      desk.clock.advance(5 * MINUTE);
      expect((await add('two')).body['code']).toBe('operator.proof-needed');
      // Whoever sits down at it has neither the telephone nor, for adding another, a proof.
      expect((await own.session('POST', '/factors/totp')).body['code']).toBe('operator.proof-needed');
      expect((await own.session('POST', '/proof', { password: GOOD_PASSWORD })).body['code']).toBe('operator.refused');
      expect((await add('two')).body['code']).toBe('operator.proof-needed');
      expect((await own.session('POST', '/proof', { code: desk.codeOf(totp) })).status).toBe(200);
      expect((await add('two')).status).toBe(201);
    });

    test('by an open session without a second factor: a new factor and a proof ask for the password', async () => {
      const desk = await openDesk();
      await desk.addOperator('ada', ['engineer']);
      const open = desk.browser();
      await open.signIn('ada');
      desk.clock.advance(6 * MINUTE);
      expect((await open.session('POST', '/factors/totp')).body['code']).toBe('operator.proof-needed');
      expect((await open.session('POST', '/proof', { password: 'wrong-password-here' })).body['code']).toBe(
        'operator.refused',
      );
      expect((await open.session('POST', '/proof', { password: GOOD_PASSWORD })).status).toBe(200);
      expect((await open.session('POST', '/factors/totp')).status).toBe(200);
    });

    test('by a session from before they were made administrator: the second factor is asked for now', async () => {
      const desk = await openDesk();
      await desk.administrator();
      const id = await desk.addOperator('ada', ['engineer']);
      const open = desk.browser();
      await open.signIn('ada');
      await desk.machine()('PUT', `operators/${id}/roles`, { roles: ['administrator', 'engineer'] });
      expect((await open.ask('GET', '/admin/api/operators')).body).toMatchObject({
        code: 'operator.factor-needed',
        at: 'enrol',
      });
    });

    test('by sessions of others: they are seen and ended by their owner and administrators alone', async () => {
      const desk = await openDesk();
      const { own } = await desk.administrator();
      await desk.addOperator('ada', ['engineer']);
      const ada = desk.browser();
      await ada.signIn('ada');
      const list = async (browser: typeof ada) =>
        (await browser.session('GET', '/all')).body['sessions'] as { id: string; isThis: boolean }[];
      expect(await list(ada)).toHaveLength(1);
      const seen = await list(own);
      expect(seen).toHaveLength(2);
      const foreign = seen.find(({ isThis }) => isThis)?.id ?? '';
      expect((await ada.session('DELETE', `/all/${foreign}`)).body['code']).toBe('operator.session-not-found');
      const hers = seen.find(({ isThis }) => !isThis)?.id ?? '';
      expect((await own.session('DELETE', `/all/${hers}`)).status).toBe(200);
      expect((await ada.session('GET', '')).status).toBe(401);
    });
  });

  describe('a link', () => {
    test('works once, within a day, and not for a weak password', async () => {
      const desk = await openDesk();
      const made = await desk.machine()('POST', 'operators', { name: 'ada', displayName: 'Ada', roles: ['viewer'] });
      const { origin, pathname, hash, search } = new URL(String(made.body['link']));
      expect([origin, pathname, search]).toEqual([PUBLIC_URL, '/operator/sign-in', '']);
      const link = hash.replace('#link=', '');
      const redeem = (password: string) => desk.browser().session('POST', '/link', { link, password });
      expect((await redeem('password1234')).body['code']).toBe('operator.weak-password');
      const codes = await Promise.all([redeem(GOOD_PASSWORD), redeem(GOOD_PASSWORD)]);
      expect(codes.map(({ status }) => status).sort()).toEqual([200, 410]);
      const reset = await desk.machine()('POST', `operators/${String(made.body['id'])}/reset`);
      const late = new URL(String(reset.body['link'])).hash.replace('#link=', '');
      desk.clock.advance(24 * 60 * MINUTE);
      expect((await desk.browser().session('POST', '/link', { link: late, password: GOOD_PASSWORD })).status).toBe(410);
      expect((await desk.browser().signIn('ada')).status).toBe(401);
    });

    test('stands in no log line and no audit record, and neither do passwords, codes and keys', async () => {
      const desk = await openDesk();
      const { totp, own } = await desk.administrator();
      const { key } = (await desk.machine()('POST', 'keys', { name: 'k', roles: ['viewer'] })).body;
      await desk.machine(String(key))('GET', 'session');
      const said = JSON.stringify([desk.log.lines, await desk.records()]);
      for (const hidden of [GOOD_PASSWORD, totp, String(key), own.cookie ?? '', own.csrf ?? '', '#link='])
        expect(said).not.toContain(hidden);
    });
  });

  describe('a key', () => {
    test('opens what it may until it ends or is removed, and says when it was used', async () => {
      const desk = await openDesk();
      const make = async (body: object) =>
        (await desk.machine()('POST', 'keys', body)).body as { id: string; key: string };
      const both = await make({ name: 'both', roles: ['administrator', 'engineer'], days: 1 });
      const one = await make({ name: 'one', roles: ['viewer'] });
      expect(both.key).toMatch(/^cgk_[\w-]{43}$/);
      expect((await desk.machine(both.key)('GET', 'probe')).status).toBe(200);
      expect((await desk.machine(one.key)('GET', 'probe')).body['code']).toBe('admin.forbidden');
      expect((await desk.machine(`${one.key.slice(0, -1)}!`)('GET', 'probe')).body['code']).toBe(
        'admin.unauthenticated',
      );
      expect((await desk.machine(`cgk_${'A'.repeat(43)}`)('GET', 'probe')).body['code']).toBe(
        'operator.unauthenticated',
      );
      // The last use is written behind the answer.
      const keys = await eventually(
        async () => (await desk.machine()('GET', 'keys')).body['keys'] as Record<string, unknown>[],
        (all) => all.every(({ usedAt }) => usedAt !== null),
      );
      expect(keys.map(({ name, usedAt }) => [name, usedAt !== null])).toEqual([
        ['both', true],
        ['one', true],
      ]);
      expect(JSON.stringify(keys)).not.toContain('cgk_');
      desk.clock.advance(24 * 60 * MINUTE);
      expect((await desk.machine(both.key)('GET', 'probe')).body['code']).toBe('operator.unauthenticated');
      expect((await desk.machine()('DELETE', `keys/${one.id}`)).status).toBe(200);
      expect((await desk.machine(one.key)('GET', 'probe')).body['code']).toBe('operator.unauthenticated');
    });

    test('has no session, and a page with a session cannot borrow one by a header that is wrong', async () => {
      const desk = await openDesk();
      const { own } = await desk.administrator();
      expect((await desk.machine()('GET', 'session/all')).body['code']).toBe('admin.forbidden');
      const both = await own.ask('GET', '/admin/api/operators', undefined, { authorization: 'Bearer nonsense' });
      expect(both.body['code']).toBe('admin.unauthenticated');
    });
  });

  test('every sign-in, refusal and change names the person and their roles in the audit', async () => {
    const desk = await openDesk();
    const { id, own } = await desk.administrator();
    await own.ask('POST', '/admin/api/operators', { name: 'ada', displayName: 'Ada', roles: ['viewer'] });
    const { name } = (await own.session('GET', '')).body;
    const records = (await desk.records()).filter(({ actor }) => actor === name);
    const roles = ['administrator', 'engineer'];
    expect(records.map((one) => [one.type, one.why, one.outcome, one.roles, one.operatorId === id])).toEqual([
      ['operator.sign-in', 'link', '0', roles, true],
      ['operator.sign-in', 'password', '0', roles, true],
      ['operator.sign-in', 'add-totp', '0', roles, true],
      ['admin', 'operator', '0', roles, false],
    ]);
  });

  test('the page runs one script of our own, from nowhere else, and writes no markup', async () => {
    const desk = await openDesk();
    const page = await desk.browser().ask('GET', '/operator/sign-in');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    const markup = String(page.body['text']);
    expect(markup.match(/<script[^>]*>[^<]/)).toBeNull();
    expect(markup).not.toMatch(/ on\w+=|style=/);
    const script = String((await desk.browser().ask('GET', '/operator/sign-in.js')).body['text']);
    expect(script).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|eval\(/);
  });
});
