import type { LabRow, MetricRow, UnitRow } from './mapping.ts';
import type { Report } from './problem.ts';

/** What a row sends must be readable as a unit text too, or a document that states it would be unmapped. */
export function checkUnitTexts(
  findUnit: (text: string) => UnitRow | null,
  metrics: readonly MetricRow[],
  labs: readonly LabRow[],
  report: Report,
): void {
  const check = (row: string, unit: string | null): void => {
    if (unit !== null && findUnit(unit)?.ucum !== unit)
      report(row, `${unit} is not in conceptmap-units.json as itself`);
  };
  for (const { row, unit } of metrics) check(row, unit?.code ?? null);
  for (const { row, unit } of labs) check(row, unit);
}
