import { expect, test } from '@jest/globals';
import { freshService, labParts, USER } from './support.ts';

const { activate, authorizer, grant, lab, profile } = freshService();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('2.1 authorizer result: authorization_url is there only while the user is not authorized', async () => {
  const before = (await authorizer(USER, 'RingWearable')).body;
  expect(before).toEqual({
    data_source: 'RingWearable',
    authorized: false,
    authorization_url: expect.stringMatching(/^https?:\/\//),
  });
  await grant('RingWearable');
  expect((await authorizer(USER, 'RingWearable')).body).toEqual({ data_source: 'RingWearable', authorized: true });
});

test('2.5 lab document submission acknowledgment: document_id and status, and no other field', async () => {
  activate('lab_data');
  expect((await lab(labParts())).body).toEqual({ document_id: expect.stringMatching(UUID), status: 'received' });
});

test('2.6 user profile request acknowledgment: message and request_id, and no other field', async () => {
  activate('user_health_profile');
  expect((await profile()).body).toEqual({ message: expect.any(String), request_id: expect.stringMatching(UUID) });
});
