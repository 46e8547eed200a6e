import { makeChance } from './chance.ts';
import { HAZARD_WARDROBE, hazardOf } from './hazards.ts';
import { HOMES } from './homes.ts';
import type { Person } from './readings.ts';
import type { DataSourceName } from './source-traits.ts';

type Wardrobe = readonly [DataSourceName, ...DataSourceName[]];

/** What people own. A phone collects from the rest, so most have two accounts of one day. */
const WARDROBES: readonly [Wardrobe, ...Wardrobe[]] = [
  ['RingWearable', 'ConnectedScale', 'IosHealth'],
  ['GpsWatch', 'ConnectedScale', 'AndroidHealth'],
  ['FitnessBand', 'ConnectedScale'],
  ['StrapWearable', 'IosHealth'],
  ['SportsWatch', 'RingWearable', 'ConnectedScale'],
  ['GlucoseMonitor', 'FitnessBand', 'AndroidHealth'],
  ['PhoneMakerHealth', 'ConnectedScale'],
  ['GpsWatch', 'StrapWearable', 'ConnectedScale', 'GlucoseMonitor'],
  ['RingWearable', 'GpsWatch', 'IosHealth'],
  ['FitnessBand', 'PhoneMakerHealth'],
];

const YOUNGEST_BORN = 2004;
const OLDEST_BORN = 1942;

/** The person with the number `n` of the world that `seed` stands for. */
export function makePerson(seed: number, n: number): Person {
  const chance = makeChance(seed, 'person', n);
  const sex = chance.happens(0.5) ? 'female' : 'male';
  const birthYear = Math.round(chance.between(OLDEST_BORN, YOUNGEST_BORN));
  // Homes and wardrobes go round rather than fall by lot, so that a small population has all of them.
  const home = HOMES[(n + Math.abs(Math.trunc(seed))) % HOMES.length] ?? HOMES[0];
  const turn = Math.floor(n / WARDROBES.length);
  const hazard = hazardOf(n);
  const dataSources = hazard === null ? (WARDROBES[(n + turn) % WARDROBES.length] ?? WARDROBES[0]) : HAZARD_WARDROBE;
  return { n, sex, hazard, birthYear, country: home.country, zone: home.zone, dataSources };
}
