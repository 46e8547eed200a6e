import { expect, test } from '@jest/globals';
import { report, type Running } from '../../demo/demo-report.ts';
import { registerDemoOperator } from '../../demo/register-demo-operator.ts';

const running: Running = {
  base: 'http://localhost:8080',
  watch: 'http://localhost:8080',
  ehr: 'http://localhost:8081/fhir',
  use: 'own',
  users: 5,
  app: {
    url: 'http://localhost:8083',
    redirectUri: '',
    launchUrl: '',
    stop: () => Promise.resolve(),
  },
  service: 'http://localhost:8082',
  data: 'data',
};
const portal = { name: 'demo-client', password: 'word-of-the-portal' };

test('the report names first what a person opens, each with the password that it asks for', () => {
  const operator = { kind: 'set', name: 'operator', password: 'word-of-the-operator' } as const;
  const lines = report(running, { operator, clinicianPassword: 'word-of-the-clinician', portal }).split('\n');
  const at = (words: string): number => lines.findIndex((line) => line.includes(words));
  const order = [
    'console    http://localhost:8080/console',
    'sign in as operator, password word-of-the-operator',
    'app        http://localhost:8083',
    'sign in as clinician, password word-of-the-clinician',
    'portal     http://localhost:8082/portal',
    'sign in as demo-client, password word-of-the-portal',
    'gateway    http://localhost:8080/docs',
    'demo EHR   http://localhost:8081/fhir/Patient',
  ].map(at);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('the report names no password that does not open anything', () => {
  const text = report(running, { operator: null, clinicianPassword: null, portal });
  expect(text.match(/password/g)).toHaveLength(1);
});

const answers = (replies: Readonly<Record<string, unknown>>) => ({
  call: (id: string) => Promise.resolve(replies[id]),
});
type Api = Parameters<typeof registerDemoOperator>[0];

test('a new operator gets the password of the report, by the link that the gateway gave', async () => {
  const link = 'http://localhost:8080/operator/sign-in#link=abc';
  const asked: unknown[] = [];
  const ask = ((url: string, init: RequestInit) => {
    asked.push([url, JSON.parse(init.body as string)]);
    return Promise.resolve(new Response('{}'));
  }) as typeof fetch;
  const api = answers({ 'operators.add': { kind: 'done', value: { link } } }) as unknown as Api;
  expect(await registerDemoOperator(api, 'word', ask)).toEqual({ kind: 'set', name: 'operator', password: 'word' });
  expect(asked).toEqual([['http://localhost:8080/admin/api/session/link', { link: 'abc', password: 'word' }]]);
  const refuse = (() => Promise.resolve(new Response('{}', { status: 400 }))) as typeof fetch;
  expect(await registerDemoOperator(api, 'word', refuse)).toEqual({ kind: 'link', name: 'operator', link });
});

test('an operator of an earlier start keeps the password that somebody chose', async () => {
  const api = answers({
    'operators.add': { kind: 'refused', problem: { code: 'operator.name-taken' } },
    'operators.list': { kind: 'done', value: { operators: [{ name: 'operator', isReady: true }] } },
  }) as unknown as Api;
  const never = (() => Promise.reject(new Error('nothing is asked'))) as typeof fetch;
  expect(await registerDemoOperator(api, 'word', never)).toEqual({
    kind: 'before',
    name: 'operator',
    password: 'word',
  });
});
