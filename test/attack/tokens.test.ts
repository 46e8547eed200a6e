import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { judge, plain } from './support/oracle.ts';
import { startAttacked, type Attacked } from './support/start-attacked.ts';
import { SOUND_TOKENS, TOKEN_ATTACKS, type Kit, type TokenAttack } from './support/token-attacks.ts';
import type { Answered } from './support/ask.ts';

let attacked: Attacked;
let kit: Kit;
let reference: unknown;
beforeAll(async () => {
  attacked = await startAttacked();
  kit = { issuer: attacked.issuer, audience: `${attacked.publicUrl}/fhir`, publicUrl: attacked.publicUrl };
  reference = refusal(await attacked.ask({ path: '/fhir/Patient/idalpha' }));
});
afterAll(() => attacked.stop());

/** A challenge may say `invalid_token` where a token was sent; nothing else may tell one reason from another. */
const refusal = (answer: Answered): unknown =>
  plain({ ...answer, headers: answer.headers.filter(([name]) => name !== 'www-authenticate') }, []);

async function tried({ make, expected }: TokenAttack): Promise<{ answer: Answered; wrong: readonly string[] }> {
  const asked = await make(kit);
  const answer = await attacked.ask(asked);
  // Only a sound token may see alpha; to all the others she too is a stranger.
  const strangers = expected === 'own' ? (['bravo', 'charl'] as const) : (['alpha', 'bravo', 'charl'] as const);
  return { answer, wrong: judge({ asked, answer, expected, strangers, ehrPorts: [attacked.ehr.port] }) };
}

describe('a sound token is taken', () => {
  test.each(SOUND_TOKENS.map((one) => [one.name, one] as const))('%s', async (_, attack) => {
    expect((await tried(attack)).wrong).toEqual([]);
  });
});

describe('a token is refused', () => {
  test.each(TOKEN_ATTACKS.map((one) => [one.name, one] as const))('%s', async (_, attack) => {
    const from = attacked.ehr.heard.length;
    const { answer, wrong } = await tried(attack);
    expect(wrong).toEqual([]);
    expect(attacked.ehr.heard.slice(from).filter(({ url }) => url.includes('/Observation'))).toEqual([]);
    // One answer for every reason: the reason is in the audit.
    if (attack.expected === 'unauthenticated') expect(refusal(answer)).toEqual(reference);
  });
});

test('no key was fetched from where a token said', () => {
  expect(attacked.issuer.lured()).toBe(0);
});

test('no token is in the log', async () => {
  const token = await attacked.bearer();
  await attacked.ask({ path: '/fhir/Patient/idalpha', headers: [['Authorization', token]] });
  expect(attacked.logText()).not.toContain(token.split('.')[1]);
});

test('what is open needs no token, and says nothing of the EHR', async () => {
  for (const path of ['/fhir/metadata', '/fhir/.well-known/smart-configuration']) {
    for (const headers of [[], [['Authorization', 'Bearer garbage']]] as const) {
      const asked = { path, headers };
      const answer = await attacked.ask(asked);
      expect(answer.status).toBe(200);
      const wrong = judge({
        asked,
        answer,
        expected: 'own',
        strangers: ['alpha', 'bravo', 'charl'],
        ehrPorts: [attacked.ehr.port],
      });
      expect(wrong).toEqual([]);
    }
  }
});
