import { newContext } from '../runtime/context.ts';
import { hasHl7Code } from '../runtime/known-codes.ts';
import type { Compiled } from './load-compiled.ts';

const OBSERVATION = {
  resourceType: 'Observation',
  id: 'o',
  meta: { source: 'urn:x:y', tag: [{ system: 'urn:x:y', code: 'z' }] },
  identifier: [{ system: 'urn:x:y', value: '1' }],
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7', display: 'Body weight' }], text: 'Weight' },
  subject: { reference: 'urn:uuid:6f1f3c1e-8d0a-4c8b-9b3a-0123456789ab' },
  effectivePeriod: { start: '2024-01-01T00:00:00Z', end: '2024-01-01T23:59:59Z' },
  extension: [{ url: 'urn:x:y', valueString: 'daily' }],
  valueQuantity: { value: 1, unit: 'kg', system: 'urn:x:y', code: 'kg' },
};

const BUNDLE = {
  resourceType: 'Bundle',
  type: 'collection',
  timestamp: '2024-01-01T00:00:00Z',
  entry: [
    {
      fullUrl: 'urn:uuid:6f1f3c1e-8d0a-4c8b-9b3a-0123456789ab',
      resource: { resourceType: 'Patient', id: 'p', active: true },
    },
    { fullUrl: 'urn:uuid:7f1f3c1e-8d0a-4c8b-9b3a-0123456789ab', resource: OBSERVATION },
    { fullUrl: 'urn:uuid:8f1f3c1e-8d0a-4c8b-9b3a-0123456789ab', resource: { ...OBSERVATION, status: 'none' } },
  ],
};

/** Runs the functions that every feed uses, so that V8's code cache holds them compiled. */
export function warmUp(compiled: Compiled): void {
  const settings = {
    issuesMax: 10,
    withWarnings: false,
    isClosed: false,
    profileRules: [],
    hasCode: hasHl7Code,
    lasting: new WeakSet<object>(),
  };
  compiled.fResource(BUNDLE, newContext(null, settings), 0);
  compiled.rResource(BUNDLE, newContext([], settings), 0, 'Bundle');
}
