import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_PATIENTS, DEMO_STRANGER, seedEhr } from '../../../sandbox/ehr/index.ts';
import { PLACES, type Place } from '../../support/new-store.ts';
import { startExporting, type Backend, type Exporting } from '../../support/export/start-exporting.ts';

const LINKED = DEMO_PATIENTS.slice(0, 3);

describe.each(PLACES)('bulk export on %s', (_engine, makePlace) => {
  let place: Place;
  let at: Exporting;
  let backend: Backend;
  let token: string;
  beforeAll(async () => {
    place = await makePlace();
    at = await startExporting(place);
    seedEhr(at.ehr);
    for (const { mrn } of LINKED) await at.link(mrn);
    backend = await at.backend();
    token = await backend.token();
  });
  afterAll(async () => {
    await at.stop();
    await place.remove();
  });

  test('every linked patient is exported once, and nobody else', async () => {
    const status = await at.start(token, '/fhir/Patient/$export');
    const manifest = await at.finished(token, status);
    const lines = await at.lines(token, manifest);
    expect(lines['Patient']?.map(({ id }) => id).sort()).toEqual(LINKED.map(({ id }) => id).sort());
    expect(JSON.stringify(lines)).not.toContain(DEMO_STRANGER.id);
    expect(manifest).toMatchObject({
      request: `${at.base}/fhir/Patient/$export`,
      requiresAccessToken: true,
      deleted: [],
      error: [],
    });
    const names = Object.entries(lines).flatMap(([type, all]) => all.map(({ id }) => `${type}/${id}`));
    expect(new Set(names).size).toBe(names.length);
  });
});
