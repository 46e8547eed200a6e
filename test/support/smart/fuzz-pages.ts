import { picker } from '../mutate.ts';
import { aGrant } from './a-grant.ts';
import { mutatePage } from './mutate-page.ts';
import { makeTwins, type Asked, type Compared } from './page-twins.ts';
import { PATIENT, SEED_TYPES, seedPage, type SeedType } from './seed-pages.ts';

type Pick = (below: number) => number;

export interface Fuzzed {
  readonly pages: number;
  /** How many the fast way took, and how many it could have taken by what was asked. */
  readonly passed: number;
  readonly offered: number;
  readonly difference: Difference | null;
}

export interface Difference {
  /** Which page of which seed, and the smallest that still differs. */
  readonly seed: number;
  readonly page: string;
  readonly asked: string;
  readonly compared: Compared;
}

const SCOPES = [
  'patient/*.rs',
  'patient/*.rs',
  'patient/*.rs',
  'user/*.rs',
  'patient/Observation.rs?category=x|y patient/*.rs',
];
const QUERIES = [
  '',
  '',
  '',
  '',
  '&_count=5',
  '&_sort=-_lastUpdated',
  '&status=final',
  '&category=vital-signs',
  '&category=vital-signs,x&date=ge2026-11-03&value-quantity=gt61',
  '&clinical-status=active&code:missing=false',
  '&status:not=final&date=ge2020&made-up=1',
  '&code=8867-4,x&_lastUpdated=lt2100',
  '&_id=o-0',
  '&_elements=status',
  '&_summary=true',
  '&_revinclude=Provenance:target',
  '&_include=Observation:device',
];

function drawAsk(type: SeedType, pick: Pick): Asked {
  const scope = SCOPES[pick(SCOPES.length)] ?? '';
  const query = QUERIES[pick(QUERIES.length)] ?? '';
  return { target: `/fhir/${type}?patient=${PATIENT}${query}`, grant: aGrant(scope, { patient: PATIENT }) };
}

function drawPage(seed: number): { readonly page: Buffer; readonly asked: Asked } {
  const pick = picker(seed);
  const type = SEED_TYPES[pick(SEED_TYPES.length)] ?? 'Observation';
  const entries = pick(30) === 0 ? 20 : ([0, 1, 1, 2, 2, 3, 4][pick(7)] ?? 1);
  const page = mutatePage(seedPage(type, entries, pick(2) === 0 ? 'lines' : 'dense', pick), pick);
  return { page, asked: drawAsk(type, pick) };
}

/** Leaves out slices of a page as long as both ways still differ. */
async function shrink(page: Buffer, isDifferent: (page: Buffer) => Promise<boolean>): Promise<Buffer> {
  let smallest = page;
  for (let size = page.length >> 1; size > 0; size = Math.floor(size / 2))
    for (let at = 0; at < smallest.length;) {
      const less = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (await isDifferent(less)) smallest = less;
      else at += size;
    }
  return smallest;
}

/** Mutated pages from `first` on, each asked for both ways, until one differs. Calls back now and then. */
export async function fuzzPages(
  first: number,
  count: number,
  onProgress: (so: Omit<Fuzzed, 'difference'>) => void = () => undefined,
): Promise<Fuzzed> {
  const compare = makeTwins();
  let [passed, offered] = [0, 0];
  for (let n = 0; n < count; n += 1) {
    const seed = first + n;
    const { page, asked } = drawPage(seed);
    const compared = await compare(page, asked);
    if (compared.kind !== 'not-offered') offered += 1;
    if (compared.kind === 'passed') passed += 1;
    if (compared.kind === 'different') {
      const smallest = await shrink(page, async (less) => (await compare(less, asked)).kind === 'different');
      const difference = {
        seed,
        page: JSON.stringify(smallest.toString('latin1')),
        asked: asked.target,
        compared: await compare(smallest, asked),
      };
      return { pages: n + 1, passed, offered, difference };
    }
    if ((n + 1) % 20_000 === 0) onProgress({ pages: n + 1, passed, offered });
  }
  return { pages: count, passed, offered, difference: null };
}
