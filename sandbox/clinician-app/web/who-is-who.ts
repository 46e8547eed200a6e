import { literalOf, nameOf, type Named } from './chart-parts.ts';
import type { SmartClient } from './smart-client.ts';

/** The number under which the hospital knows the patient; null where the chart gives none that says so. */
export const mrnOf = ({ identifier = [] }: Named): string | null =>
  identifier.find(({ type }) => type?.coding?.some(({ code }) => code === 'MR') === true)?.value ?? null;

/** Whole years on the day `today` (as 2026-11-15); null where the birth date is no whole date. */
export function ageOf(birthDate: string | undefined, today: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(birthDate ?? '')) return null;
  const [born, now] = [birthDate ?? '', today];
  const years = Number(now.slice(0, 4)) - Number(born.slice(0, 4)) - (now.slice(5) < born.slice(5) ? 1 : 0);
  return years >= 0 ? years : null;
}

/** Who is signed in: the name in the chart, else what the sign-in says, else the reference; null where nobody is said. */
export async function readUserName(client: SmartClient): Promise<string | null> {
  const literal = literalOf({ reference: client.getFhirUser() ?? '' });
  if (literal !== null) {
    try {
      const name = nameOf(await client.request<Named>(literal));
      if (name !== '') return name;
    } catch {
      // The server may keep its staff to itself.
    }
  }
  const name = client.getIdToken()?.['name'];
  return typeof name === 'string' && name !== '' ? name : literal;
}
