import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Fingerprint } from '../../../src/lanes/fingerprint.ts';
import {
  changeLedger,
  packWritten,
  parseEntries,
  printDocument,
  type LedgerChange,
  type LedgerDocument,
  type LedgerEntry,
} from '../../../src/lanes/ledger-document.ts';
import type { WrittenRow } from '../../../src/lanes/ledger-rows.ts';
import { howMany } from '../../support/how-much.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const DOCUMENTS = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];
type Document = (typeof DOCUMENTS)[number];

const hex = fc.stringMatching(/^[0-9a-f]{8}$/);
const anEntry = (name: string): fc.Arbitrary<LedgerEntry> =>
  fc.record({
    name: fc.constant(name),
    resourceType: fc.constantFrom('Observation', 'Device'),
    id: fc.constantFrom(name, 'server-7', null),
    isIdApart: fc.constant(false),
    versionId: fc.constantFrom('1', null),
    contentDigest: hex,
    fingerprint: fc.option(hex.map((text) => text as Fingerprint)),
    said: fc.option(fc.record({ status: fc.constant('final'), meaning: hex })),
    group: fc.constantFrom('body', 'alerts'),
    chartDay: fc.constantFrom('2026-11-14', null),
    shelf: fc.constantFrom('2026-11-14', ''),
    saidAt: fc.nat(9),
    writtenAt: fc.nat(9),
    keptAt: fc.option(fc.nat(9)),
    retractedAt: fc.option(fc.nat(9)),
    deliverySeq: fc.nat(9),
  });

test('what is written into a row is read from it again, with the ids that stand beside it', () => {
  const aDocument = fc.tuple(...NAMES.map((name) => fc.option(anEntry(name))));
  fc.assert(
    fc.property(aDocument, (given) => {
      const entries = given.filter((entry) => entry !== null);
      const { entries: text, standing, alerts, ids } = printDocument(new Map(entries.map((one) => [one.name, one])));
      expect(parseEntries(text, ids ?? {})).toEqual(entries);
      expect([standing, alerts]).toEqual([
        entries.filter(({ retractedAt }) => retractedAt === null).length,
        entries.filter(({ group }) => group === 'alerts').length,
      ]);
      expect(text).not.toContain('server-7');
    }),
    { numRuns: howMany(200, 2_000) },
  );
});

test('of ids that were forgotten nobody knows any more', () => {
  const entry = { ...fc.sample(anEntry('a'), 1)[0], id: 'server-7' } as LedgerEntry;
  const { entries } = printDocument(new Map([['a', entry]]));
  expect(parseEntries(entries, {})).toEqual([{ ...entry, id: null }]);
});

/** One row for each name, as a table with a key would have it. */
interface Row {
  readonly document: Document;
  readonly isRetracted: boolean;
  readonly saidAt: number;
  readonly version: string | null;
}
type Model = Map<Name, Row>;

type Act =
  | { readonly kind: 'write'; readonly name: Name; readonly version: string }
  | { readonly kind: 'retract'; readonly name: Name; readonly version: string }
  | { readonly kind: 'adopt'; readonly name: Name; readonly saidAt: number };

const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('write'), name: fc.constantFrom(...NAMES), version: hex }),
  fc.record({ kind: fc.constant('retract'), name: fc.constantFrom(...NAMES), version: hex }),
  fc.record({ kind: fc.constant('adopt'), name: fc.constantFrom(...NAMES), saidAt: fc.nat(9) }),
);

function modelled(model: Model, own: Document, act: Act): void {
  const before = model.get(act.name);
  if (act.kind === 'write') model.set(act.name, { document: own, isRetracted: false, saidAt: 5, version: act.version });
  else if (before !== undefined && act.kind === 'retract')
    model.set(act.name, { ...before, isRetracted: true, version: act.version });
  else if (before !== undefined && act.kind === 'adopt' && !before.isRetracted)
    model.set(act.name, { ...before, document: own, saidAt: Math.max(before.saidAt, act.saidAt) });
}

const aRow = (name: string, more: Partial<WrittenRow> = {}): WrittenRow => ({
  name,
  resourceType: 'Observation',
  id: name,
  versionId: '1',
  contentDigest: '00',
  said: null,
  group: 'body',
  chartDay: null,
  shelf: '',
  ledgerDocument: null,
  saidAt: 5,
  fingerprint: '00' as Fingerprint,
  effect: 'created',
  ...more,
});
const DONE_AT = new Date(3);

/** What is asked of the ledger, which is told where each name stands. */
function changeOf(act: Act, standsIn: Document | undefined): LedgerChange {
  const nothing = { written: [], known: [], retracted: [], adopted: { names: [], saidAt: 0 }, atMs: DONE_AT.getTime() };
  if (act.kind === 'write') {
    const row = aRow(act.name, { versionId: act.version, ledgerDocument: standsIn ?? null });
    const { entries, ids, known } = packWritten([row], DONE_AT, 4) ?? { entries: '[]', ids: null, known: [] };
    return { ...nothing, written: parseEntries(entries, ids ?? {}), known };
  }
  if (standsIn === undefined) return nothing;
  const named = { name: act.name, ledgerDocument: standsIn };
  if (act.kind === 'retract')
    return { ...nothing, retracted: [{ ...named, versionId: act.version, fingerprint: null }] };
  return { ...nothing, adopted: { names: [named], saidAt: act.saidAt } };
}

test('each name stands in one document, as if the ledger were a table by names', () => {
  const aHistory = fc.array(fc.tuple(fc.constantFrom(...DOCUMENTS), anAct), { maxLength: 20 });
  fc.assert(
    fc.property(aHistory, (history) => {
      const model: Model = new Map();
      const ledger = new Map<string, LedgerDocument>(DOCUMENTS.map((document) => [document, new Map()]));
      for (const [own, act] of history) {
        const before = new Map([...ledger].map(([document, entries]) => [document, printDocument(entries).entries]));
        const changed = changeLedger(ledger, own, changeOf(act, model.get(act.name)?.document));
        modelled(model, own, act);
        for (const [document, entries] of ledger)
          if (!changed.has(document)) expect(printDocument(entries).entries).toBe(before.get(document));
      }
      const found = [...ledger].flatMap(([document, entries]) =>
        [...entries.values()].map(({ name, versionId: version, retractedAt, saidAt }) => [
          name,
          { document, isRetracted: retractedAt !== null, saidAt, version },
        ]),
      );
      expect(found).toHaveLength(model.size);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(model));
    }),
    { numRuns: howMany(200, 2_000) },
  );
});

test('what was written is packed with all that is told of it', () => {
  const rows = [
    aRow('b', { shelf: '2026-11-14', id: 'server-7', effect: 'updated', ledgerDocument: 'one' }),
    aRow('a', { shelf: '2026-11-13', effect: 'created', group: 'alerts' }),
    aRow('c', { shelf: '2026-11-14', effect: 'doubted', id: null }),
    aRow('d', { resourceType: 'Device', effect: 'kept' }),
  ];
  const packed = packWritten(rows, DONE_AT, 4);
  expect(packed).toMatchObject({
    standing: 4,
    alerts: 1,
    ids: { b: 'server-7' },
    shelves: ['', '2026-11-13', '2026-11-14'],
    known: [{ name: 'b', ledgerDocument: 'one' }],
    counts: { written: 3, created: 1, changed: 2 },
    resources: ['Observation/b', 'Observation/a', 'Observation/c', 'Device/d'],
  });
  expect(
    parseEntries(packed?.entries ?? '', packed?.ids ?? {}).map(({ name, id, writtenAt, keptAt, deliverySeq }) => [
      name,
      id,
      writtenAt,
      keptAt,
      deliverySeq,
    ]),
  ).toEqual([
    ['b', 'server-7', 3, null, 4],
    ['a', 'a', 3, null, 4],
    ['c', null, 3, null, 4],
    ['d', 'd', 3, 3, 4],
  ]);
  expect(packWritten([], DONE_AT, 4)).toBeNull();
});
