import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Mode } from './support/hostile-ehr.ts';
import { headerOf } from './support/ask.ts';
import { parsed, type Expected } from './support/oracle.ts';
import { PATIENT_MARKERS, startAttacked, type Attacked } from './support/start-attacked.ts';

/*
 * Sound questions of alpha's app to an EHR that answers wrongly. Each mode has a gateway of its own: after some of them
 * the breaker is open, which is right, and would hide the next.
 */
type Line = readonly [path: string, expected: Expected];

interface Linked {
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
}

const FIND = 'Observation?patient=idalpha';
const BOTH: readonly Line[] = [
  [FIND, 'upstream'],
  ['Observation/idalpha-obs', 'upstream'],
];

const MODES: Readonly<Partial<Record<Mode, readonly Line[]>>> = {
  'ignores-filters': [
    [FIND, 'upstream'],
    ['Condition?patient=idalpha', 'upstream'],
    ['Patient?_id=idalpha', 'upstream'],
    ['Device?patient=idalpha', 'upstream'],
    ['Provenance?target=Observation/idalpha-obs', 'own-at-most'],
    ['Patient/idalpha/$everything', 'own-at-most'],
    ['Patient/idalpha/$everything?_type=Observation&start=1900', 'upstream'],
    ['Patient/idalpha/$everything?_type=Provenance', 'own-at-most'],
    ['Patient/idalpha/$everything?_type=Practitioner,Organization', 'own-at-most'],
    [`${FIND}&_summary=count`, 'own-at-most'],
    [`${FIND}&_count=1`, 'upstream'],
    [`${FIND}&_elements=code`, 'own-at-most'],
  ],
  'ignores-everything': [
    [FIND, 'upstream'],
    ['Patient/idalpha', 'upstream'],
    ['Patient?identifier=urn:example:mrn|M-zqalpha', 'own-at-most'],
  ],
  'swaps-reads': [
    ['Observation/idalpha-obs', 'upstream'],
    ['Condition/idalpha-cond', 'upstream'],
    ['Device/idalpha-dev', 'upstream'],
    ['Observation/idalpha-obs/_history/1', 'own-at-most'],
  ],
  'includes-strangers': [
    [FIND, 'own'],
    [`${FIND}&_revinclude=Provenance:target`, 'own'],
    ['MedicationRequest?patient=idalpha&_include=MedicationRequest:medication', 'own'],
    ['Patient/idalpha/$everything?_type=Observation,Provenance', 'own'],
  ],
  'counts-everything': [
    [FIND, 'own'],
    [`${FIND}&_summary=count`, 'own-at-most'],
    [`${FIND}&_total=accurate`, 'own-at-most'],
    [`${FIND}&_count=1`, 'own'],
    ['Patient/idalpha/$everything?_count=1', 'own'],
  ],
  entangled: [
    ['Observation/idalpha-obs-contains', 'own-at-most'],
    ['DiagnosticReport/idalpha-rep-contains', 'own-at-most'],
    ['Condition/idalpha-cond-contains', 'own-at-most'],
    [FIND, 'own'],
    ['Patient/idalpha/$everything', 'own'],
  ],
  'absolute-links': [
    [FIND, 'own'],
    ['Observation/idalpha-obs', 'own'],
    ['DocumentReference/idalpha-doc', 'own'],
    ['DiagnosticReport?patient=idalpha', 'own'],
    [`${FIND}&_count=1`, 'own'],
    ['Observation/idalpha-obs/_history', 'own-at-most'],
  ],
  'foreign-next': [[FIND, 'upstream']],
  redirects: BOTH,
  echoes: [
    [FIND, 'upstream'],
    [`${FIND}&code=%3Cscript%3Ealert(1)%3C/script%3E`, 'own-at-most'],
  ],
  'leaks-headers': [
    [FIND, 'own'],
    ['Observation/idalpha-obs', 'own'],
  ],
  'leaks-errors': BOTH.map(([path]) => [path, 'harmless'] as const),
  'wrong-type': BOTH,
  'broken-json': BOTH,
  'not-fhir': BOTH,
  huge: BOTH.slice(0, 1),
  slow: BOTH.slice(0, 1),
};

describe.each(Object.entries(MODES) as readonly (readonly [Mode, readonly Line[]])[])(
  'an EHR that is of the kind %s',
  (mode, lines) => {
    let attacked: Attacked;
    beforeAll(async () => {
      attacked = await startAttacked(mode);
    });
    afterAll(() => attacked.stop());

    test.each(lines)('%s -> %s', async (path, expected) => {
      const authorization = await attacked.bearer();
      const { answer, wrong } = await attacked.attack({ path: `/fhir/${path}`, authorization, expected });
      expect(wrong).toEqual([]);
      const type = headerOf(answer, 'content-type') ?? '';
      expect(type).toMatch(/^application\/fhir\+json/);
      const body = parsed(answer) as Linked | null;
      expect(body).not.toBeNull();
      const next = body?.link?.find(({ relation }) => relation === 'next')?.url;
      if (next === undefined) return;
      expect(next.startsWith(`${attacked.publicUrl}/fhir`)).toBe(true);
      expect(
        (await attacked.attack({ path: next.slice(attacked.publicUrl.length), authorization, expected: 'harmless' }))
          .wrong,
      ).toEqual([]);
    });

    test('leads nobody astray, and leaves nothing in the log', () => {
      expect(attacked.ehr.strayed()).toBe(0);
      const log = attacked.logText();
      expect(PATIENT_MARKERS.filter((marker) => log.includes(marker))).toEqual([]);
    });
  },
);
