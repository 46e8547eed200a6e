import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aClinicalReady, aServiceLabResult, aStepsEvent } from '../../support/payloads/index.ts';
import { outcome, startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';
import { makeSiteFolder } from './site-folder.ts';

let hooks: HookGateway;
let site: ReturnType<typeof makeSiteFolder>;
beforeAll(async () => {
  site = makeSiteFolder();
  hooks = await startHookGateway({ CHARTGATE_MAPPINGS: site.folder });
});
afterAll(async () => {
  await hooks.stop();
  site.remove();
});

interface UnmappedPage {
  readonly unmapped: readonly { readonly kind: string; readonly what: string; readonly count: number }[];
  readonly next: string | null;
}
const unmapped = async (query = ''): Promise<UnmappedPage> =>
  (await hooks.admin('get', `unmapped${query}`)).body as UnmappedPage;
const withCode = (code: string, bundleId: string) =>
  JSON.parse(
    JSON.stringify(aClinicalReady({ bundleId, observations: 1 })).replaceAll('"weight"', `"${code}"`),
  ) as object;

describe('words that nobody has mapped', () => {
  test('are counted, newest first, and listed page by page', async () => {
    for (const [code, bundle] of [
      ['aura', 'aura-1'],
      ['aura', 'aura-2'],
      ['karma', 'karma-1'],
    ] as const)
      expect(outcome(await hooks.deliver(withCode(code, bundle)))).toEqual(['parked', 'unmapped']);
    await hooks.deliver({ ...aStepsEvent(), data_structure: 'dream_event' });
    const first = await unmapped('?limit=2');
    expect(first.unmapped).toMatchObject([
      { kind: 'structure', what: 'dream_event', dataStructure: 'unknown', count: 1 },
      { kind: 'code', what: 'karma', dataStructure: 'clinical_ready', count: 1 },
    ]);
    const second = await unmapped(`?limit=2&cursor=${first.next ?? ''}`);
    expect([second.unmapped, second.next]).toMatchObject([[{ kind: 'code', what: 'aura', count: 2 }], null]);
  });
});

describe('new mapping data', () => {
  test('map what was parked, once it is replayed', async () => {
    const { id } = await hooks.deliver(withCode('mass_of_body', 'renamed'));
    site.edit('conceptmap-metrics.json', (text) => text.replace('"code": "weight"', '"code": "mass_of_body"'));
    const reloaded = (await hooks.admin('post', 'mappings/reload')).body as { version: string };
    expect(reloaded).toMatchObject({ changed: 'changed', templates: 1 });
    const digest = async (): Promise<string | undefined> => {
      const { loads } = (await hooks.admin('get', 'mappings/loads?limit=1')).body as { loads: { digest: string }[] };
      return loads[0]?.digest;
    };
    expect(await digest()).toBe(reloaded.version);
    await hooks.admin('post', `deliveries/${id}/replay`);
    expect(outcome(await hooks.settled(id))).toEqual(['parked', 'unlinked']);
  });

  test('that are not sound are refused with every problem, and the old stay in force', async () => {
    site.edit('conceptmap-metrics.json', (text) =>
      text.replace('"39156-5"', '"39156-6"').replaceAll('"kg/m2"', '"kg/square"'),
    );
    const refused = await hooks.admin('post', 'mappings/reload');
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([409, 'mappings.unsound']);
    const { problems } = refused.body as { problems: string[] };
    expect(problems.some((one) => one.includes('39156-6')) && problems.some((one) => one.includes('kg/square'))).toBe(
      true,
    );
    expect(outcome(await hooks.deliver(withCode('mass_of_body', 'still')))).toEqual(['parked', 'unlinked']);
    site.edit('conceptmap-metrics.json', (text) =>
      text.replace('"39156-6"', '"39156-5"').replaceAll('"kg/square"', '"kg/m2"'),
    );
  });
});

describe('a dialect that asks for a profile of no guide', () => {
  const PROFILE = 'https://example.org/fhir/weight';
  const asks = `"profiles": [\n    { "type": "Observation", "profile": "${PROFILE}" }\n  ]`;

  test('is refused with its line, and the old data stay in force', async () => {
    site.edit('dialects/default.json', (text) => text.replace('"profiles": []', asks));
    const refused = await hooks.admin('post', 'mappings/reload');
    expect([refused.status, (refused.body as { problems: string[] }).problems]).toEqual([
      409,
      ['Mappings:', `dialects/default.json#profiles[0]: ${PROFILE} is of no guide that is loaded`],
    ]);
    expect((await hooks.admin('post', 'mappings/check')).body).toMatchObject({
      isSound: false,
      problems: [{ file: 'dialects/default.json', line: 20, row: 'profiles[0]' }],
    });
    site.edit('dialects/default.json', (text) => text.replace(asks, '"profiles": []'));
    expect((await hooks.admin('post', 'mappings/reload')).status).toBe(200);
  });
});

describe('templates', () => {
  const OFF = JSON.stringify({ dataStructure: 'lab_result', off: 'not used here' });
  const reload = async (): Promise<unknown> => (await hooks.admin('post', 'mappings/reload')).body;

  test('the shipped one reads laboratory JSON until the site switches it off', async () => {
    expect(outcome(await hooks.deliver(aServiceLabResult({ documentId: 'shipped' })))).toEqual(['parked', 'unlinked']);
    site.put('custom/lab.json', OFF);
    expect(await reload()).toMatchObject({ changed: 'changed', templates: 0 });
    expect(outcome(await hooks.deliver(aServiceLabResult({ documentId: 'off' })))).toEqual(['parked', 'unmapped']);
  });

  test('one of the site reads a structure in place of the shipped one, and names its documents', async () => {
    const parked = await hooks.deliver(aServiceLabResult({ glucose: 92 }));
    expect(outcome(parked)).toEqual(['parked', 'unmapped']);
    site.copy('templates/service-lab-json.json', 'custom/lab.json');
    expect(await reload()).toMatchObject({ changed: 'changed', templates: 1 });
    await hooks.admin('post', `deliveries/${parked.id}/replay`);
    expect(outcome(await hooks.settled(parked.id))).toEqual(['parked', 'unlinked']);
    const explanation = (await hooks.admin('get', `deliveries/${parked.id}/explain`)).body as Record<string, unknown>;
    expect([explanation['template'], explanation['trouble'], explanation['issues']]).toEqual([
      'custom/lab.json',
      'unlinked',
      [],
    ]);
    expect(explanation['resources']).toMatchObject([
      {
        resourceType: 'Observation',
        resource: {
          code: { coding: [{ system: 'http://loinc.org', code: '2345-7' }], text: 'Glucose' },
          category: [{ coding: [{ code: 'laboratory' }] }],
          valueQuantity: { value: 92, unit: 'mg/dL', code: 'mg/dL' },
        },
      },
      { resourceType: 'DiagnosticReport', resource: { code: { coding: [{ code: '51990-0' }] } } },
    ]);
    const newer = await hooks.deliver(aServiceLabResult({ glucose: 93, documentVersion: 2 }));
    expect(outcome(newer)).toEqual(['parked', 'unlinked']);
    expect(outcome(await hooks.read(parked.id))).toEqual(['superseded', 'newer-version']);
  });

  test('one that fails parks the delivery and says where it failed', async () => {
    site.edit('custom/lab.json', (text) => text.replace(/"key": "(.*)"/, '"key": "$error($1)"'));
    await reload();
    const failed = await hooks.deliver(aServiceLabResult({ documentId: 'failing' }));
    expect(outcome(failed)).toEqual(['parked', 'unmapped']);
    expect(failed.findings.join()).toMatch(/^template\.failed custom\/lab\.json#key, /);
    expect(failed.findings.join()).not.toContain('failing');
  });

  test('one that loses a value parks the delivery and names the place', async () => {
    site.copy('templates/service-lab-json.json', 'custom/lab.json');
    site.edit('custom/lab.json', (text) =>
      text.replace("{ 'value': $one.value_float },", "{ 'value': $one.value_flaot },"),
    );
    await reload();
    const failed = await hooks.deliver(aServiceLabResult({ documentId: 'losing' }));
    expect(outcome(failed)).toEqual(['parked', 'unmapped']);
    expect(failed.findings).toEqual(['template.output custom/lab.json#resources[1].valueQuantity']);
  });
});
