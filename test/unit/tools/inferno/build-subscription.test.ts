import { expect, test } from '@jest/globals';
import { buildSubscription, TOPIC_EXTENSION, topicsOf } from '../../../../tools/inferno/build-subscription.ts';
import { loadValidator } from '../../../../src/r4/index.ts';

test('the topics are those that the CapabilityStatement names at Subscription', () => {
  const at = (type: string, url: string, valueCanonical: string) => ({ type, extension: [{ url, valueCanonical }] });
  expect(
    topicsOf({
      rest: [
        {
          resource: [
            { type: 'Patient' },
            at('Observation', TOPIC_EXTENSION, 'urn:not'),
            at('Subscription', TOPIC_EXTENSION, 'urn:topic'),
            at('Subscription', 'urn:other', 'urn:not-either'),
          ],
        },
      ],
    }),
  ).toEqual(['urn:topic']);
  expect(topicsOf({})).toEqual([]);
});

test('the Subscription is R4, and asks for a heartbeat only where one is wanted', () => {
  const asked = {
    topic: 'urn:topic',
    filter: 'Observation?patient=Patient/1',
    content: 'id-only',
    endpoint: 'http://inferno.example/listener',
    token: 't',
    end: new Date('2026-11-18T00:00:00Z'),
  } as const;
  const [plain, beating] = [buildSubscription(asked), buildSubscription({ ...asked, heartbeatSeconds: 10 })];
  const { validate } = loadValidator();
  expect([validate(plain), validate(beating)]).toEqual([[], []]);
  expect([plain.channel.extension.length, beating.channel.extension.length]).toEqual([1, 2]);
});
