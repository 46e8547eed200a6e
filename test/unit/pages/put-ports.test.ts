import { expect, test } from '@jest/globals';
import { putCommand, touchesPackages, type Ports } from '../../support/pages/put-ports.ts';

const PORTS: Ports = { 8080: 1, 8081: 2, 8082: 3, 8083: 4, 8084: 5, 8090: 6, 8103: 7 };

test.each([
  ['curl localhost:8080/readyz', 'curl localhost:1/readyz'],
  ['value 18080 and 80801', 'value 18080 and 80801'],
  ['npm start', 'npm start -- --port 1 --ehr-port 2 --service-port 3 --app-port 4'],
  ['npm ci && npm start', 'npm start -- --port 1 --ehr-port 2 --service-port 3 --app-port 4'],
  ['npm start -- --empty', 'npm start -- --port 1 --ehr-port 2 --service-port 3 --app-port 4 --empty'],
  ['npm run ehr:hapi', 'npm run ehr:hapi -- --port 6'],
])('%s becomes %s', (text, wanted) => {
  expect(putCommand(text, PORTS)).toBe(wanted);
});

test('what would change packages is seen', () => {
  expect(['npm ci', 'cd a && npm install b', 'npm start', 'npm run ci'].map(touchesPackages)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
