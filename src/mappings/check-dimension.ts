import { measureUcum } from '../r4/index.ts';
import { only, type MapRow } from './read-concept-map.ts';
import type { Report } from './problem.ts';

/** LOINC's properties, each by units that measure it. Only those that the mapping data names. */
const MEASURED_IN: Readonly<Record<string, readonly string[]>> = {
  Mass: ['kg'],
  Len: ['m'],
  Pres: ['mm[Hg]'],
  NRat: ['/min'],
  Time: ['s'],
  Temp: ['Cel'],
  MFr: ['%'],
  VFr: ['%'],
  NFr: ['%'],
  SFr: ['mmol/mol'],
  MRto: ['%', '{ratio}'],
  MCnc: ['g/L'],
  // A milliequivalent of a monovalent ion is a millimole.
  SCnc: ['mol/L', 'eq/L'],
  NCnc: ['/L'],
  // Laboratories write U for arbitrary units, and IU for the enzyme unit.
  ACnc: ['[IU]/L', "[arb'U]/L", 'U/L'],
  CCnc: ['U/L', '[IU]/L'],
  EntVol: ['fL'],
  EntMass: ['pg'],
  Naric: ['/[HPF]'],
  Osmol: ['osm/kg'],
};

/** Whether the unit of a row measures what its code means. A row may waive the check, and says why. */
export function checkDimension(row: MapRow, unit: string, report: Report): void {
  const property = only(row, 'property')?.value ?? null;
  if (property === null || only(row, 'property-waived') !== null) return;
  const allowed = MEASURED_IN[property];
  const dimension = measureUcum(unit)?.dimension;
  if (allowed === undefined) report(row.row, `nobody knows how to measure the property ${property}`);
  else if (dimension !== undefined && !allowed.some((one) => measureUcum(one)?.dimension === dimension))
    report(row.row, `${unit} does not measure ${property}, which ${row.target.code} is`);
}
