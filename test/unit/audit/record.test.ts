import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  columnsOf,
  extendChain,
  firstLink,
  leafOf,
  linkOf,
  openSealed,
  type AuditRecord,
  type ToSeal,
} from '../../../src/audit/record.ts';
import { aDraft, memoryVault } from '../../support/memory-audit.ts';

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const PREVIOUS = Buffer.alloc(32, 4);
const written = (more: Parameters<typeof aDraft>[1] = {}, seq = 3, chain = 'a.0') => {
  const link = extendChain(memoryVault, chain, seq, PREVIOUS, aDraft(1, more));
  return { ...link, parsed: JSON.parse(link.record) as AuditRecord };
};

test('a leaf is the hash of a nought and the record, a link that of a two, the link before and the leaf', () => {
  const { record, leaf, link } = written();
  expect(leafOf('text')).toEqual(sha256(Uint8Array.of(0), 'text'));
  expect([leaf, link]).toEqual([sha256(Uint8Array.of(0), record), sha256(Uint8Array.of(2), PREVIOUS, leaf)]);
  // Hashed twice, so that nothing of the first stays behind for the second.
  expect(linkOf(leaf, PREVIOUS)).toEqual(sha256(Uint8Array.of(2), leaf, PREVIOUS));
});

test.each([
  [31, 32],
  [32, 33],
  [0, 0],
])(
  'links of %d and leaves of %d bytes, which nobody writes, have a hash of their own all the same',
  (before, bytes) => {
    const [previous, leaf] = [Buffer.alloc(before, 1), Buffer.alloc(bytes, 2)];
    expect(linkOf(previous, leaf)).toEqual(sha256(Uint8Array.of(2), previous, leaf));
  },
);

test('the first link stands on 32 noughts where there was no chain before', () => {
  expect(firstLink('a.0', null)).toEqual(sha256('chartgate-audit-v1\na.0\n', new Uint8Array(32)));
  expect(firstLink('a.0', PREVIOUS)).toEqual(sha256('chartgate-audit-v1\na.0\n', PREVIOUS));
});

test('a record holds its form, its place, its time and what is told, with its names in order', () => {
  const { seq, parsed, record } = written({ client: 'app' });
  expect([seq, parsed]).toEqual([
    3,
    {
      v: 1,
      chain: 'a.0',
      seq: 3,
      at: '2026-01-01T00:00:00.001Z',
      type: 'hook.accept',
      tenant: 'default',
      requestId: 'req_1',
      action: 'C',
      outcome: '0',
      deliveryId: 'dlv_1',
      client: 'app',
    },
  ]);
  expect(Object.keys(parsed)).toEqual(Object.keys(parsed).sort());
  expect(record).not.toContain(' ');
});

test('what is searched by repeats what is told, and nothing where nothing is', () => {
  const { columns, parsed } = written({ client: 'app', patientHash: 'p', chartHash: 'c' });
  const all = {
    atMs: Date.UTC(2026, 0, 1) + 1,
    tenant: 'default',
    type: 'hook.accept',
    outcome: '0',
    requestId: 'req_1',
  };
  expect(columns).toEqual({ ...all, deliveryId: 'dlv_1', client: 'app', patient: 'p', chart: 'c' });
  const { deliveryId: _deliveryId, client: _client, patientHash: _patient, chartHash: _chart, ...bare } = parsed;
  expect(columnsOf(bare)).toEqual({ ...all, deliveryId: null, client: null, patient: null, chart: null });
});

describe('what leads to a person', () => {
  const whole: Required<ToSeal> = {
    patient: { system: 'urn:mrn', mrn: 'MARKER-1' },
    chart: 'MARKER-2',
    resourceId: 'MARKER-3',
    subject: 'MARKER-4',
    query: 'Observation?patient=MARKER-5',
  };
  const HASHES = {
    patient: 'patientHash',
    chart: 'chartHash',
    resourceId: 'resourceHash',
    subject: 'subjectHash',
  } as const;

  test('is sealed as a whole, opens in its place only, and stands nowhere in clear', () => {
    const { parsed, record } = written({ toSeal: whole });
    expect(openSealed(memoryVault, parsed)).toEqual(whole);
    expect(record).not.toContain('MARKER');
    expect(() => openSealed(memoryVault, { ...parsed, seq: 4 })).toThrow();
    expect(() => openSealed(memoryVault, { ...parsed, chain: 'b.0' })).toThrow();
  });

  test('is nothing where nothing is sealed', () => {
    const { parsed } = written();
    expect([openSealed(memoryVault, parsed), 'sealed' in parsed]).toEqual([{}, false]);
  });

  test.each(Object.entries(HASHES))('is found again by the hash of %s, which is there only with it', (name, hash) => {
    const { parsed } = written({ toSeal: { query: 'x', [name]: whole[name as keyof typeof HASHES] } });
    expect(Object.values(HASHES).filter((one) => one in parsed)).toEqual([hash]);
    expect(parsed[hash]).toMatch(/^[0-9a-f]{32}$/);
    expect(written({ toSeal: whole }, 9, 'b.0').parsed[hash]).toBe(parsed[hash]);
  });
});
