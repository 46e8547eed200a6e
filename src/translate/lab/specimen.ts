import { listOf, partOf, textOf } from '../parts.ts';

/** In the words of the source; a code alone where it has no words. */
export function specimenName(type: unknown): string {
  const { text, coding } = partOf(type);
  const words = [textOf(text), ...listOf(coding).map(({ display }) => textOf(display))].filter((word) => word !== null);
  return words[0] ?? textOf(listOf(coding)[0]?.['code']) ?? '';
}

const isUrine = (specimen: string): boolean => /\burin/i.test(specimen);

/** The name under which a test of this specimen is known; it often leaves the specimen out. */
export const nameWith = (name: string, specimen: string): string =>
  isUrine(specimen) && !/\burin/i.test(name) ? `urine ${name}` : name;

/** Whether the name of a test says what it is done on. */
export const namesSpecimen = (name: string): boolean =>
  /\b(urin|serum|plasma|blood|csf|saliva|stool|fa?ec)/i.test(name);

/** What LOINC's name says that was measured on. */
function systemOf(display: string): 'urine' | 'serum' | 'blood' | 'other' | null {
  if (/\b(in|of) Urine\b/.test(display)) return 'urine';
  if (/\bSerum, Plasma or Blood\b/.test(display)) return null;
  if (/\bSerum or Plasma\b|\bin Serum\b|\bPlatelet poor plasma\b/.test(display)) return 'serum';
  if (/\b(in|of) (Capillary |Venous |Arterial )?[Bb]lood\b|\bRed Blood Cells\b|^Erythrocyte|^MCH/.test(display))
    return 'blood';
  return /\b(in|of) [A-Z]\w/.test(display) ? 'other' : null;
}

/**
 * Whether a code may stand for a test of this specimen. Nothing said fits everything; blood that was drawn fits serum,
 * plasma and blood; anything else must be what the code says.
 */
export function fitsSpecimen(display: string, specimen: string): boolean {
  const system = systemOf(display);
  if (specimen === '') return true;
  if (isUrine(specimen)) return system === 'urine' || system === null;
  if (/serum|plasma/i.test(specimen)) return system === 'serum' || system === null;
  if (/whole blood|capillary/i.test(specimen)) return system === 'blood' || system === null;
  if (/blood|venous/i.test(specimen)) return system === 'serum' || system === 'blood' || system === null;
  // Liquor, saliva, stool: their tests have codes of their own.
  return false;
}
