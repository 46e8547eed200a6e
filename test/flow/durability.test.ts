import { afterEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { makePostgresPlace, makeSqlitePlace, type ChaosPlace } from '../chaos/chaos-place.ts';
import { checkAcknowledged, type Found, type FoundRecord, type Violation } from '../chaos/check-acknowledged.ts';
import { runKills } from '../chaos/run-kills.ts';
import { runPowerLosses } from '../chaos/run-power-losses.ts';
import { extendChain, firstLink, type AuditDraft } from '../../src/audit/record.ts';
import { memoryVault } from '../support/memory-audit.ts';
import { howMany } from '../support/how-much.ts';

/* The short versions of test/chaos/kill.ts and test/chaos/power-loss.ts. */

const places: ChaosPlace[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});
function kept<P extends ChaosPlace>(place: P): P {
  places.push(place);
  return place;
}

interface Broken {
  readonly acknowledged?: ReadonlyMap<string, string>;
  readonly found?: Partial<Found>;
  readonly shown?: Found['ledger'];
}

describe('the checker', () => {
  const digest = createHash('sha256').update('body').digest('hex');
  const at = new Date('2026-01-01T00:00:00Z');
  const draft = { at, tenant: 'default', requestId: 'req_1', action: 'C', outcome: '0' } as const;

  function makeChain(chain: string, previous: Uint8Array | null, drafts: readonly AuditDraft[]): FoundRecord[] {
    const out: FoundRecord[] = [];
    let link: Uint8Array = firstLink(chain, previous);
    drafts.forEach((one, i) => {
      const next = extendChain(memoryVault, chain, i + 1, link, one);
      link = next.link;
      out.push({ chain, ...next });
    });
    return out;
  }
  const accept = (id: string, to: string): AuditDraft => ({
    ...draft,
    type: 'hook.accept',
    deliveryId: id,
    bodyDigest: digest,
    to,
  });
  const first = makeChain('a', null, [
    accept('dlv_1', 'received'),
    { ...draft, type: 'delivery.change', deliveryId: 'dlv_1', from: 'received', to: 'parked' },
  ]);
  const lastLink = first[1]?.link ?? null;
  const second = makeChain('b', lastLink, [accept('dlv_2', 'duplicate')]);
  const original = { seq: 1, id: 'dlv_1', state: 'parked', rawDigest: digest, bodyDigest: digest, duplicateOf: null };
  const copy = { seq: 2, id: 'dlv_2', state: 'duplicate', rawDigest: digest, bodyDigest: null, duplicateOf: 1 };
  const sound: Found = {
    deliveries: [original, copy],
    ledger: { acknowledged: 2, byState: { parked: 1, duplicate: 1, received: 0 } },
    chains: [
      { chain: 'a', previous: null, firstLink: firstLink('a', null) },
      { chain: 'b', previous: 'a', firstLink: firstLink('b', lastLink) },
    ],
    records: [...first, ...second],
    damage: [],
  };
  const acknowledged = new Map([
    ['dlv_1', digest],
    ['dlv_2', digest],
  ]);
  const shown = sound.ledger;
  const check = (broken: Broken): Violation[] =>
    checkAcknowledged(broken.acknowledged ?? acknowledged, { ...sound, ...broken.found }, broken.shown ?? shown);
  const kindsOf = (broken: Broken): string[] => [...new Set(check(broken).map(({ kind }) => kind))].sort();
  const withRecord = (i: number, change: Partial<FoundRecord>): Broken => ({
    found: { records: sound.records.map((one, n) => (n === i ? { ...one, ...change } : one)) },
  });
  const wrong = Buffer.alloc(32, 7);

  test('finds nothing wrong with a sound database', () => {
    expect(check({})).toEqual([]);
  });

  test('names the delivery that was acknowledged and lost', () => {
    expect(check({ acknowledged: new Map([...acknowledged, ['dlv_3', digest]]) })).toEqual([
      { kind: 'lost', about: 'dlv_3' },
    ]);
  });

  test.each<[string, string[], Broken]>([
    ['other bytes than were sent', ['other-body'], { acknowledged: new Map([['dlv_1', 'other']]) }],
    ['a body that is gone', ['body-missing'], { found: { deliveries: [{ ...original, bodyDigest: null }, copy] } }],
    ['a body that is another', ['body-missing'], { found: { deliveries: [{ ...original, bodyDigest: 'x' }, copy] } }],
    ['a duplicate of nothing', ['body-missing'], { found: { deliveries: [original, { ...copy, duplicateOf: 9 }] } }],
    [
      'a row that is gone with its ledger entry',
      ['audit-of-nothing', 'lost'],
      {
        found: { deliveries: [original], ledger: { acknowledged: 1, byState: { parked: 1 } } },
        shown: { acknowledged: 1, byState: { parked: 1 } },
      },
    ],
    ['states that do not add up', ['ledger'], { found: { ledger: { acknowledged: 2, byState: { parked: 1 } } } }],
    ['a ledger of other states', ['ledger'], { found: { ledger: { acknowledged: 2, byState: { parked: 2 } } } }],
    [
      'a ledger that counts too many',
      ['ledger'],
      { found: { ledger: { acknowledged: 3, byState: { parked: 2, duplicate: 1 } } } },
    ],
    ['a shown ledger that is another', ['ledger'], { shown: { acknowledged: 1, byState: { parked: 1 } } }],
    ['a delivery without its audit record', ['audit-chain', 'audit-missing'], { found: { records: first } }],
    [
      'a change without its audit record',
      ['audit-chain', 'audit-state'],
      { found: { records: [...first.slice(0, 1), ...second] } },
    ],
    [
      'a record that was altered',
      ['audit-chain'],
      withRecord(0, { record: (first[0]?.record ?? '').replace('req_1', 'req_2') }),
    ],
    ['a leaf that was altered', ['audit-chain'], withRecord(1, { leaf: wrong })],
    ['a link that was altered', ['audit-chain'], withRecord(0, { link: wrong })],
    ['a last link that was altered', ['audit-chain'], withRecord(2, { link: wrong })],
    [
      'a record that is missing in the middle',
      ['audit-chain', 'audit-missing'],
      { found: { records: [...first.slice(1), ...second] } },
    ],
    ['a chain that was not opened', ['audit-chain'], { found: { chains: sound.chains.slice(0, 1) } }],
    [
      'a first link that does not follow',
      ['audit-chain'],
      { found: { chains: sound.chains.map((one) => ({ ...one, firstLink: wrong })) } },
    ],
    ['damage that the engine reports', ['damage'], { found: { damage: ['row 3 missing from index'] } }],
  ])('finds %s', (_name, kinds, broken) => {
    expect(kindsOf(broken)).toEqual(kinds);
  });
});

const sum = (rounds: readonly { readonly acknowledged: number }[]): number =>
  rounds.reduce((all, { acknowledged }) => all + acknowledged, 0);
const violationsOf = (rounds: readonly { readonly violations: readonly Violation[] }[]): Violation[] =>
  rounds.flatMap(({ violations }) => violations);

describe('nothing acknowledged is lost', () => {
  const KILLS = howMany(2, 6);
  test('by kill -9, on SQLite', async () => {
    const rounds = await runKills({ place: kept(makeSqlitePlace()), kills: KILLS, seed: 11 });
    expect(violationsOf(rounds)).toEqual([]);
    expect([rounds.length, sum(rounds) > 0]).toEqual([KILLS, true]);
  }, 60_000);

  test('by a supervisor that kills every start, on SQLite', async () => {
    const rounds = await runKills({ place: kept(makeSqlitePlace()), kills: 1, crashLoop: 3, seed: 14 });
    expect(violationsOf(rounds)).toEqual([]);
    expect([rounds.map(({ killedStartsMs }) => killedStartsMs.length), sum(rounds) > 0]).toEqual([[3], true]);
  }, 60_000);

  test('by kill -9 and a crash of the server, on PostgreSQL', async () => {
    const rounds = await runKills({ place: kept(await makePostgresPlace()), kills: 2, seed: 12 });
    expect(violationsOf(rounds)).toEqual([]);
    expect([rounds.map(({ crash }) => crash !== 'none'), sum(rounds) > 0]).toEqual([[false, true], true]);
  }, 60_000);

  test('by a loss of power, on SQLite', async () => {
    const rounds = await runPowerLosses({ place: kept(makeSqlitePlace()), rounds: 3, seed: 13, weakened: 'nothing' });
    expect(violationsOf(rounds)).toEqual([]);
    expect([rounds.length, sum(rounds) > 0]).toEqual([3, true]);
  }, 60_000);
});

test.each(['commits', 'journal'] as const)(
  'the power-loss test finds a store that does not flush its %s',
  async (weakened) => {
    const isEnough = ({ violations }: { readonly violations: readonly Violation[] }) => violations.length > 0;
    const rounds = await runPowerLosses({ place: kept(makeSqlitePlace()), rounds: 4, seed: 14, weakened, isEnough });
    expect(rounds.at(-1)?.violations.map(({ kind }) => kind)).toContain(weakened === 'journal' ? 'lost' : 'refused');
  },
  60_000,
);
