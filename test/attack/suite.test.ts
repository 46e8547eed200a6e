import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { ask, type Asked } from './support/ask.ts';
import { startIssuer } from './support/issuer.ts';
import { SOUND_TOKENS, TOKEN_ATTACKS, type Kit } from './support/token-attacks.ts';
import { startCarelessGateway, type Carelessness, type CarelessGateway } from './support/careless-gateway.ts';
import { CROSS_PATIENT, nameOf, OWN } from './support/cross-patient.ts';
import { startHostileEhr, type HostileEhr } from './support/hostile-ehr.ts';
import { judge, judgeHeard } from './support/oracle.ts';
import { startStrictGateway } from './support/strict-gateway.ts';
import { indistinct, twinOf } from './support/twin.ts';
import type { AttackRow } from './support/start-attacked.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

/*
 * The attacks tried on gateways with known holes. An attack that no careless gateway fails proves nothing.
 */
let ehr: HostileEhr;
beforeAll(async () => {
  ehr = await startHostileEhr();
});
afterAll(() => ehr.close());

async function findingsOf(gateway: CarelessGateway, row: AttackRow): Promise<string[]> {
  const { expected, claims: _claims, strangers = ['bravo', 'charl'], ...asked } = row;
  const from = ehr.heard.length;
  const answer = await ask(gateway.port, asked);
  const wrong = judge({ asked, answer, expected, strangers, ehrPorts: [ehr.port] });
  wrong.push(...judgeHeard(ehr.heard.slice(from), []));
  const twin = twinOf(row);
  if (twin === null || row.path.includes('idmoved-won')) return wrong;
  const { expected: _expected, ...about } = twin;
  const other = indistinct(await ask(gateway.port, about));
  if (JSON.stringify(indistinct(answer)) !== JSON.stringify(other)) wrong.push('an oracle of existence');
  return wrong;
}

/** The check of a token as it was measured to be needed; the gateway has its own, which this test does not know. */
async function isTaken({ headers = [] }: Asked, kit: Kit): Promise<boolean> {
  const given = headers.filter(([name]) => name === 'Authorization').map(([, value]) => value);
  const [, token = ''] = /^bearer ([^ ]+)$/i.exec(given[0] ?? '') ?? [];
  if (given.length !== 1 || token.length > 8_192) return false;
  const keys = createRemoteJWKSet(new URL(kit.issuer.jwksUrl));
  const checked = await jwtVerify(token, keys, {
    issuer: kit.issuer.url,
    audience: kit.audience,
    algorithms: ['ES256', 'RS256'],
    typ: 'at+jwt',
    requiredClaims: ['exp', 'iat', 'sub', 'scope', 'client_id', 'jti'],
    clockTolerance: 5,
    maxTokenAge: '1h',
  }).catch(() => null);
  if (checked === null) return false;
  const { aud, exp = Infinity, iat = 0, scope, patient, iss } = checked.payload;
  const isOneAudience = typeof aud === 'string' || aud?.length === 1;
  const isPatient = typeof patient === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(patient);
  return isOneAudience && exp - iat <= 3_600 && typeof scope === 'string' && isPatient && typeof iss === 'string';
}

test('a check with every line that is needed takes the sound tokens and no other', async () => {
  const issuer = await startIssuer();
  stopAfterTest(() => issuer.close());
  const kit = { issuer, audience: 'http://gateway/fhir', publicUrl: 'http://gateway' };
  const wrong: string[] = [];
  for (const { name, expected, make } of [...SOUND_TOKENS, ...TOKEN_ATTACKS]) {
    const asked = await make(kit);
    if (asked.path.includes('access_token=') && asked.headers !== undefined) continue;
    if ((await isTaken(asked, kit)) !== (expected === 'own')) wrong.push(name);
  }
  expect(wrong).toEqual([]);
  expect(TOKEN_ATTACKS.length).toBeGreaterThan(80);
});

const ROWS = Object.values(CROSS_PATIENT).flat();
/** A careless gateway hands on whole charts, which take long to read. */
const SAMPLE = ROWS.filter((_, at) => at % 2 === 0);

describe.each([
  ['none-at-all', 0.75],
  ['looks-at-the-question', 0.5],
  ['looks-at-the-answer', 0.3],
] as const satisfies readonly (readonly [Carelessness, number])[])(
  'a gateway of the kind %s',
  (carelessness, least) => {
    test('fails many attacks', async () => {
      const gateway = await startCarelessGateway(ehr.base, carelessness);
      stopAfterTest(() => gateway.close());
      const unharmed: string[] = [];
      for (const row of SAMPLE) if ((await findingsOf(gateway, row)).length === 0) unharmed.push(nameOf(row));
      expect(1 - unharmed.length / SAMPLE.length).toBeGreaterThan(least);
    });
  },
);

async function failuresOf(gateway: CarelessGateway, rows: readonly AttackRow[]): Promise<unknown[]> {
  stopAfterTest(() => gateway.close());
  const failed: unknown[] = [];
  for (const row of rows) {
    const wrong = await findingsOf(gateway, row);
    if (wrong.length > 0) failed.push([nameOf(row), wrong]);
  }
  return failed;
}

test('what is her own passes even the most careless, so that the judge does not refuse everything', async () => {
  expect(await failuresOf(await startCarelessGateway(ehr.base, 'none-at-all'), OWN)).toEqual([]);
});

test('a strict gateway passes every attack and gives what is her own, so that no two of them contradict each other', async () => {
  expect(await failuresOf(await startStrictGateway(ehr.base), [...OWN, ...ROWS])).toEqual([]);
});
