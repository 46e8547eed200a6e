import { expect, test } from '@jest/globals';
import { settingsFor } from '../../../../tools/inferno/own-gateway.ts';

test('settings of the environment go to the gateway that is started, and nothing else of it', () => {
  const env = { CHARTGATE_READ_TYPES: 'Media', PATH: '/bin', TEST_INFERNO_URL: 'http://i.example' };
  const settings = settingsFor('http://i.example:4567', env);
  expect(settings['CHARTGATE_READ_TYPES']).toBe('Media');
  expect(Object.keys(settings).filter((name) => !name.startsWith('CHARTGATE_'))).toEqual([]);
});
