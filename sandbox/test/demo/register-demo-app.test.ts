import { expect, test } from '@jest/globals';
import type { AdminApi } from '../../../src/cli/admin-api.ts';
import { demoPassword, registerDemoApp } from '../../demo/register-demo-app.ts';

const APP = { redirectUri: 'http://localhost:8083/index.html', launchUrl: 'http://localhost:8083/launch.html' };

function answering(...answers: (readonly [status: number, code?: string])[]): {
  api: Pick<AdminApi, 'call'>;
  asked: [string, unknown][];
} {
  const asked: [string, unknown][] = [];
  return {
    asked,
    api: {
      call: (id, ask) => {
        asked.push([id, (ask as { body?: unknown }).body]);
        const [status, code = 'internal.bug'] = answers.shift() ?? [500];
        return Promise.resolve(
          status < 300
            ? { kind: 'done', status, value: {} as never, next: null, requestId: null }
            : { kind: 'refused', status, problem: { title: '', code } },
        );
      },
    },
  };
}

test('the app and its clinician are made known', async () => {
  const { api, asked } = answering([201], [201]);
  expect(await registerDemoApp(api, APP, 'made-up')).toBe('ready');
  expect(asked).toMatchObject([
    ['apps.add', { id: 'clinician-app', kind: 'public', redirectUris: [APP.redirectUri], launchUrl: APP.launchUrl }],
    ['accounts.add', { username: 'clinician', password: 'made-up', fhirUser: 'Practitioner/demo-clinician' }],
  ]);
});

test.each([
  [[[409, 'client.id-taken'], [200], [409, 'account.name-taken']], 'ready'],
  [[[409, 'auth.external']], 'refused'],
  [[[201], [400]], 'refused'],
  [[[401]], 'refused'],
] as const)('answers of %j mean %s', async (answers, expected) => {
  expect(await registerDemoApp(answering(...answers).api, APP, 'made-up')).toBe(expected);
});

test('the password of an earlier start still opens, and another demonstration has another', () => {
  expect(demoPassword('a')).toBe(demoPassword('a'));
  expect(demoPassword('a')).not.toBe(demoPassword('b'));
});
