import { describe, expect, test } from '@jest/globals';
import type { Seen, Write } from '../../../sandbox/index.ts';
import { checkDelivery, factsOf, type DeliveryRun, type Said } from '../../support/check-delivery.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';

type Part = Record<string, unknown>;

const said = (
  id: string,
  user: string,
  document: string,
  version: number,
  saidAt: number,
  values: Part,
  observations = 3,
): Said => ({
  id,
  user,
  document,
  version,
  saidAt,
  facts: factsOf(aClinicalReady({ userId: user, observations, values })),
});

/** An Observation as it stands in a chart. */
const inChart = (name: string, patient: string, code: string, value: number, more: Part = {}): Part => ({
  resourceType: 'Observation',
  identifier: [{ system: 'urn:chartgate:measurement', value: name }],
  status: 'final',
  code: { coding: [{ system: 'urn:example:health-data-service:codes', code }] },
  subject: { reference: patient },
  effectivePeriod: { start: '2026-11-14T00:00:00Z', end: '2026-11-14T23:59:59Z' },
  valueQuantity: { value },
  ...more,
});

const write = (n: number, requestId: string, id: string, resource: Part, kind: Write['kind'] = 'create'): Write => ({
  n,
  at: '2026-11-15T00:00:00Z',
  requestId,
  kind,
  method: 'PUT',
  type: String(resource['resourceType']),
  id,
  versionId: 1,
  json: JSON.stringify({ ...resource, id }),
});

const request = (requestId: string, began: number, ended: number): Seen => ({
  requestId,
  method: 'POST',
  path: '/fhir',
  began,
  ended,
  status: 200,
});

const A = 'Patient/a';
const B = 'Patient/b';
const person = (id: string): Write => write(0, 'a-person', id, { resourceType: 'Patient', identifier: [] });

/** User 1: two versions, the second without BMI; user 2: one. */
const good: DeliveryRun = {
  said: [
    said('d1', 'u1', 'u1 x', 1, 1, { weight: 70, height: 178, bmi: 22 }),
    said('d2', 'u1', 'u1 x', 2, 2, { weight: 71, height: 178 }, 2),
    said('d3', 'u2', 'u2 x', 1, 1, { weight: 80 }, 1),
  ],
  links: new Map([
    ['u1', [A]],
    ['u2', [B]],
  ]),
  standing: new Map(['d1', 'd2', 'd3'].map((id) => [id, { state: 'delivered', reason: null }])),
  writes: [
    person('a'),
    person('b'),
    write(1, 'r1', 'o1', inChart('n1', A, 'weight', 70)),
    write(2, 'r1', 'o2', inChart('n2', A, 'height', 178)),
    write(3, 'r1', 'o3', inChart('n3', A, 'bmi', 22)),
    write(4, 'r2', 'o1', inChart('n1', A, 'weight', 71), 'update'),
    write(5, 'r2', 'o3', inChart('n3', A, 'bmi', 22, { status: 'entered-in-error' }), 'update'),
    write(6, 'r3', 'p1', inChart('m1', B, 'weight', 80)),
  ],
  requests: [request('r1', 1, 2), request('r2', 4, 5), request('r3', 3, 6)],
};
const withWrites = (...more: Write[]): DeliveryRun => ({ ...good, writes: [...good.writes, ...more] });
const without = (...ns: number[]): DeliveryRun => ({ ...good, writes: good.writes.filter(({ n }) => !ns.includes(n)) });
const withState = (id: string, state: string): DeliveryRun => ({
  ...good,
  standing: new Map([...good.standing, [id, { state, reason: null }]]),
});
const kinds = (run: DeliveryRun): string[] => [...new Set(checkDelivery(run).map(({ kind }) => kind))];

describe('the checker of deliveries', () => {
  test('finds nothing in a good run', () => expect(checkDelivery(good)).toEqual([]));

  test.each<[string, DeliveryRun, string]>([
    ['a delivery that the gateway does not know', { ...good, standing: new Map([...good.standing].slice(1)) }, 'lost'],
    ['a measurement that is not in the chart', without(6), 'lost'],
    [
      'a measurement that was deleted',
      withWrites({ ...write(7, 'r4', 'p1', {}, 'delete'), type: 'Observation', json: null }),
      'lost',
    ],
    ['a newest version that says it was superseded', withState('d2', 'superseded'), 'lost'],
    ['a delivery that is still on its way', withState('d2', 'unknown'), 'unsettled'],
    ['an update that was never written', without(4), 'stale'],
    [
      'an older version after a newer one',
      withWrites(write(7, 'r4', 'o1', inChart('n1', A, 'weight', 70), 'update')),
      'stale',
    ],
    [
      'an older version in between',
      withWrites(
        write(7, 'r4', 'o1', inChart('n1', A, 'weight', 70), 'update'),
        write(8, 'r5', 'o1', inChart('n1', A, 'weight', 71), 'update'),
      ),
      'stale',
    ],
    [
      'an older Bundle after a newer one',
      {
        ...withWrites(write(7, 'r4', 'p1', inChart('m1', B, 'weight', 79), 'update')),
        said: [...good.said, said('d4', 'u2', 'u2 y', 1, 0, { weight: 79 }, 1)],
        standing: new Map([...good.standing, ['d4', { state: 'delivered', reason: null }]]),
      },
      'stale',
    ],
    ['a retraction that was never written', without(5), 'leftover'],
    ['one name at two places', withWrites(write(7, 'r4', 'o9', inChart('n2', A, 'height', 178))), 'duplicate'],
    ['one meaning under two names', withWrites(write(7, 'r4', 'o9', inChart('n9', A, 'height', 178))), 'duplicate'],
    [
      'one Provenance twice',
      withWrites(
        ...['v1', 'v2'].map((id, i) =>
          write(7 + i, `r${i}x`, id, {
            resourceType: 'Provenance',
            target: [{ reference: 'Observation/o1' }],
            entity: [{ what: { identifier: { system: 'urn:chartgate:delivery', value: 'd1' } } }],
          }),
        ),
      ),
      'duplicate',
    ],
    [
      'two requests for one patient at once',
      { ...good, requests: [request('r1', 1, 4), request('r2', 3, 5)] },
      'overlap',
    ],
    [
      'a short request within a long one',
      { ...good, requests: [request('r1', 1, 9), request('r2', 2, 3), request('r2', 8, 10)] },
      'overlap',
    ],
    ['what was said of another', withWrites(write(7, 'r4', 'o9', inChart('n9', B, 'height', 178))), 'wrong-chart'],
    [
      'what is left in the chart before a re-link',
      { ...good, links: new Map([...good.links, ['u1', [A, B]]]) },
      'wrong-chart',
    ],
    [
      'what a person changed',
      withWrites(
        write(7, 'a-person', 'o1', inChart('n1', A, 'weight', 71), 'update'),
        write(8, 'r5', 'o1', inChart('n1', A, 'weight', 71), 'update'),
      ),
      'overwrote-person',
    ],
    [
      'a conflict with nobody',
      { ...good, standing: new Map([...good.standing, ['d3', { state: 'parked', reason: 'conflict' }]]) },
      'false-conflict',
    ],
    [
      'a reference to nothing',
      withWrites(
        write(7, 'r4', 'o2', inChart('n2', A, 'height', 178, { hasMember: [{ reference: 'urn:uuid:1' }] }), 'update'),
      ),
      'dangling',
    ],
  ])('finds %s', (_name, run, kind) => expect(kinds(run)).toContain(kind));

  test.each(['parked', 'quarantined', 'discarded'])('asks for nothing in the chart of what is %s', (state) => {
    expect(checkDelivery({ ...without(6), standing: withState('d3', state).standing })).toEqual([]);
  });
});
