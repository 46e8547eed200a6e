import { makeChance, unitOf } from './chance.ts';
import { HOMES } from './homes.ts';
import type { Person } from './readings.ts';
import { dayNumber } from './zones.ts';

/** One journey at most in so many days. */
const BLOCK_DAYS = 40;
const TRAVELLER_SHARE = 0.3;

/** The zone of where the person is on a date: home, or where a journey has led. It changes at midnight only. */
export function zoneOn(seed: number, person: Person, date: string): string {
  if (unitOf(seed, 'traveller', person.n) >= TRAVELLER_SHARE) return person.zone;
  const day = dayNumber(date);
  const block = Math.floor(day / BLOCK_DAYS);
  const chance = makeChance(seed, 'journey', person.n, block);
  if (chance.happens(0.25)) return person.zone;
  const from = block * BLOCK_DAYS + Math.floor(chance.between(0, BLOCK_DAYS - 14));
  const days = Math.floor(chance.between(3, 14));
  return day >= from && day < from + days ? chance.pick(HOMES).zone : person.zone;
}
