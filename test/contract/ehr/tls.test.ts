import { expect, test } from '@jest/globals';
import { secret } from '../../../src/kernel/index.ts';
import { anEhr, anOddServer, answerJson, CREATE, pem, READ, type OddServer } from './support.ts';

const CLIENT = { cert: pem('client.pem'), key: secret(pem('client.key.pem')) };
const CA = pem('ca.pem');
const tlsServer = (
  tls: 'plain' | 'ask-for-certificate',
  tlsMax: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3',
): Promise<OddServer> =>
  anOddServer((_heard, res) => answerJson(res, 200, { resourceType: 'Patient' }), { tls, tlsMax });

const SAFE = {
  exchange: { because: 'tls', sent: 'nothing' },
  verdict: { kind: 'retry-later', effect: 'none', fault: { code: 'ehr.tls' } },
};

test('an EHR that asks for a certificate is shown ours', async () => {
  const server = await tlsServer('ask-for-certificate');
  const ehr = anEhr(server.base, { tls: { client: CLIENT, ca: CA } });
  expect((await ehr.send(READ)).verdict).toEqual({ kind: 'ok' });
});

test('without one it refuses us before anything is sent in TLS 1.2', async () => {
  const server = await tlsServer('ask-for-certificate', 'TLSv1.2');
  const { exchange, verdict } = await anEhr(server.base, { tls: { client: null, ca: CA } }).send(CREATE);
  expect([exchange?.kind === 'unanswered' && exchange.sent, verdict.kind, server.heard]).toEqual([
    'nothing',
    'retry-later',
    [],
  ]);
});

// A client of TLS 1.3 sends before it hears of the refusal, and a server that just hangs up says no more than that.
test('without one it refuses us in TLS 1.3, and a write is called done by nobody', async () => {
  const server = await tlsServer('ask-for-certificate');
  const { verdict } = await anEhr(server.base, { tls: { client: null, ca: CA } }).send(CREATE);
  expect(['ambiguous', 'retry-later']).toContain(verdict.kind);
  expect(server.heard).toEqual([]);
});

test('an EHR that our authorities do not know gets nothing', async () => {
  const server = await tlsServer('plain');
  expect(await anEhr(server.base).send(CREATE)).toMatchObject(SAFE);
  expect(server.heard).toEqual([]);
});

test.each([
  ['of another name', 'other'],
  ['whose time is over', 'expired'],
  ['that is not for servers', 'client'],
] as const)('an EHR with a certificate %s gets nothing', async (_what, shows) => {
  const server = await anOddServer((_heard, res) => answerJson(res, 200, {}), { tls: 'plain', shows });
  expect(await anEhr(server.base, { tls: { client: null, ca: CA } }).send(CREATE)).toMatchObject(SAFE);
  expect(server.heard).toEqual([]);
});

test('an EHR that speaks plain HTTP where TLS is expected gets nothing', async () => {
  const server = await anOddServer((_heard, res) => answerJson(res, 200, {}));
  expect(await anEhr(`https://localhost:${server.port}/fhir`).send(CREATE)).toMatchObject(SAFE);
  expect(server.heard).toEqual([]);
});

test('a key that does not belong to its certificate stops the first exchange, safely', async () => {
  const server = await tlsServer('ask-for-certificate');
  const ehr = anEhr(server.base, { tls: { client: { ...CLIENT, key: secret(pem('server.key.pem')) }, ca: CA } });
  expect((await ehr.send(CREATE)).exchange).toMatchObject({ sent: 'nothing' });
});
