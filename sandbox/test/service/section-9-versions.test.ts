import { expect, test } from '@jest/globals';
import { freshService, USER } from './support.ts';

const { ask, signed } = freshService();

test.each([
  ['GET', `/api/v1/user_id/${USER}/data_source/GpsWatch/authorizer`],
  ['POST', `/api/v1/user_id/${USER}/data_sources/revoke_auth`],
  ['POST', '/api/v1/extraction_app/binding/'],
  ['POST', '/api/v2/user_profile'],
  ['GET', '/api/v2/health_monitoring/rules'],
  ['PUT', '/api/v2/health_monitoring/rules'],
])('section 9, %s %s is of this version and of no other', async (method, path) => {
  expect((await ask(method, path)).status).toBe(401);
  const other = path.startsWith('/api/v1') ? path.replace('/v1', '/v2') : path.replace('/v2', '/v1');
  expect((await ask(method, other)).status).toBe(404);
});

test('section 9, data_sources/authorizers is deprecated, the authorizer of one source is not', async () => {
  const headers = signed('secretKey');
  const list = await ask('GET', `/api/v1/client_uuid/client-1/user_id/${USER}/data_sources/authorizers`, { headers });
  const one = await ask('GET', `/api/v1/user_id/${USER}/data_source/GpsWatch/authorizer`, { headers });
  expect([list.headers['deprecation'], one.headers['deprecation']]).toEqual(['true', undefined]);
});
