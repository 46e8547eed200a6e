import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';
import { freePort } from '../support/postgres-server.ts';

let place: Place | undefined;
let gateway: Gateway | undefined;
let ehr: Server | undefined;
afterEach(async () => {
  await gateway?.stop();
  ehr?.close();
  await place?.remove();
});

test('who is asked first can read our keys at once: the EHR is not asked before we listen', async () => {
  const port = await freePort();
  let heard: (status: number | string) => void = () => undefined;
  const firstLook = new Promise<number | string>((resolve) => (heard = resolve));
  ehr = createServer((_req, res) => {
    fetch(`http://127.0.0.1:${port}/healthz`)
      .then(
        ({ status }) => heard(status),
        () => heard('nobody is there'),
      )
      .finally(() => res.writeHead(503).end());
  });
  await once(ehr.listen(0, '127.0.0.1'), 'listening');
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const config = configOf(`sqlite:${place.database.file}?filesystem=any`, {
    CHARTGATE_PORT: String(port),
    CHARTGATE_EHR_URL: `http://127.0.0.1:${(ehr.address() as AddressInfo).port}/fhir`,
  });
  gateway = await startGateway({ config, clock: systemClock, log: collectLog() });
  expect(await firstLook).toBe(200);
});
