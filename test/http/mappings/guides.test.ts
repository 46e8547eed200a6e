import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StructureDefinition } from '@medplum/fhirtypes';
import type { Explanation } from '../../../src/forward/index.ts';
import { ADDRESS, aProfile } from '../../support/a-guide.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { outcome, startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';
import { makeSiteFolder } from './site-folder.ts';

const METHOD = `${ADDRESS}with-method`;
const GUIDE = 'guides/example.guide-1.2.0';

let hooks: HookGateway;
let site: ReturnType<typeof makeSiteFolder>;

const putProfile = (profile: StructureDefinition): void =>
  site.put(`${GUIDE}/StructureDefinition-with-method.json`, JSON.stringify(profile));
const withMethod = (min: number): StructureDefinition =>
  aProfile('with-method', 'Observation', [{ path: 'Observation.method', min }]);

beforeAll(async () => {
  site = makeSiteFolder();
  mkdirSync(join(site.folder, GUIDE), { recursive: true });
  site.put(`${GUIDE}/package.json`, '{"name":"example.guide","version":"1.2.0","fhirVersions":["4.0.1"]}');
  putProfile(withMethod(1));
  site.edit('dialects/default.json', (text) =>
    text.replace('"profiles": []', `"profiles": [{ "type": "Observation", "profile": "${METHOD}", "claim": "write" }]`),
  );
  hooks = await startHookGateway({ CHARTGATE_MAPPINGS: site.folder, CHARTGATE_GUIDES: 'example.guide#1.2.0' });
});
afterAll(async () => {
  await hooks.stop();
  site.remove();
});

const aDelivery = (bundleId: string) => aClinicalReady({ bundleId, observations: 1 });

test('what would miss a profile of its EHR waits, says why, and goes on when the guide asks for less', async () => {
  const parked = await hooks.deliver(aDelivery('misses-method'));
  expect(outcome(parked)).toEqual(['parked', 'not-profile']);
  expect(parked.findings.filter((one) => one.startsWith('output.profile-min '))).toHaveLength(1);
  const { trouble, resources } = (await hooks.admin('get', `deliveries/${parked.id}/explain`)).body as Explanation;
  expect(trouble).toBe('not-profile');
  expect(resources.find(({ resourceType }) => resourceType === 'Observation')).toMatchObject({
    profiles: [METHOD],
    profileFindings: [{ rule: 'profile-min', profile: METHOD }],
  });

  putProfile(withMethod(0));
  expect((await hooks.admin('post', 'mappings/reload')).body).toMatchObject({ changed: 'changed' });
  const guideChanges = async (): Promise<number> => {
    const { loads } = (await hooks.admin('get', 'mappings/loads?limit=1')).body as {
      loads: { changes: { what: string }[] }[];
    };
    return loads[0]?.changes.filter(({ what }) => what.includes('#')).length ?? 0;
  };
  expect(await guideChanges()).toBe(1);
  await hooks.admin('post', `deliveries/${parked.id}/replay`);
  expect(outcome(await hooks.settled(parked.id))).toEqual(['parked', 'unlinked']);
});

test('a guide that is none is refused with its file and place, and the old one stays in force', async () => {
  putProfile(aProfile('with-method', 'Observation', [{ path: 'Observation.methods', min: 1 }]));
  const refused = await hooks.admin('post', 'mappings/reload');
  expect([refused.status, (refused.body as { problems: string[] }).problems.join('\n')]).toEqual([
    409,
    expect.stringMatching(/StructureDefinition-with-method\.json Observation\.methods: .*element-unknown/),
  ]);
  expect((await hooks.admin('post', 'mappings/check')).body).toMatchObject({
    isSound: false,
    problems: [{ file: expect.stringContaining('StructureDefinition-with-method.json'), row: 'Observation.methods' }],
  });
  expect(outcome(await hooks.deliver(aDelivery('old-guide')))).toEqual(['parked', 'unlinked']);
  putProfile(withMethod(0));
});
