import { expect, test } from '@jest/globals';
import type { AdminApi } from '../../../src/cli/admin-api.ts';
import { demoPassword, registerDemoApp } from '../../../src/cli/register-demo-app.ts';

const APP = { redirectUri: 'http://localhost:8083/index.html', launchUrl: 'http://localhost:8083/launch.html' };

function answering(...statuses: number[]): { api: AdminApi; asked: [string, unknown][] } {
  const asked: [string, unknown][] = [];
  return {
    asked,
    api: {
      ask: (_method, path, body) => {
        asked.push([path, JSON.parse(body?.text ?? 'null')]);
        return Promise.resolve({ status: statuses.shift() ?? 500, body: {} });
      },
      lines: () => Promise.reject(new Error('nothing is listed here')),
    },
  };
}

test('the app and its clinician are made known', async () => {
  const { api, asked } = answering(201, 201);
  expect(await registerDemoApp(api, APP, 'made-up')).toBe('ready');
  expect(asked).toMatchObject([
    ['clients', { id: 'clinician-app', kind: 'public', redirectUris: [APP.redirectUri], launchUrl: APP.launchUrl }],
    ['accounts', { username: 'clinician', password: 'made-up', fhirUser: 'Practitioner/demo-clinician' }],
  ]);
});

test.each([
  [[409, 409], 'ready'],
  [[404], 'not-offered'],
  [[201, 400], 'refused'],
  [[401], 'refused'],
] as const)('answers of %j mean %s', async (statuses, expected) => {
  expect(await registerDemoApp(answering(...statuses).api, APP, 'made-up')).toBe(expected);
});

test('the password of an earlier start still opens, and another demonstration has another', () => {
  expect(demoPassword('a')).toBe(demoPassword('a'));
  expect(demoPassword('a')).not.toBe(demoPassword('b'));
});
