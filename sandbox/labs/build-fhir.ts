import { createHash } from 'node:crypto';
import type { Panel } from './biomarkers.ts';
import type { Row } from './find-rows.ts';
import type { Range } from './read-rest.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a document says, ready to be put into a form. */
export interface Findings {
  readonly documentId: string;
  readonly userId: string;
  /** With the zone that the priority rule gives it, if any. */
  readonly collectedAt: string;
  readonly laboratory: string | null;
  readonly specimen: string | null;
  readonly rows: readonly Row[];
}

const SOURCE = 'urn:example:health-data-service';
const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const INTERPRETATION = 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';

/** The same for the same document, so that reading it again changes nothing. */
function urnOf(documentId: string, part: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([documentId, part]))
    .digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export interface PanelRows {
  readonly panel: Panel;
  readonly rows: readonly Row[];
}

export function byPanel(rows: readonly Row[]): PanelRows[] {
  const found = new Map<string, { panel: Panel; rows: Row[] }>();
  for (const row of rows) {
    const one = found.get(row.panel.key) ?? { panel: row.panel, rows: [] };
    found.set(row.panel.key, one);
    one.rows.push(row);
  }
  return [...found.values()];
}

/** A pure number has a unit too, in UCUM. */
export const ucumOf = ({ unit, form }: Row): string | null =>
  unit ?? (form.kind === 'number' ? (form.units[0] ?? null) : null);

function quantity(digits: string, unit: string | null): Json {
  return { value: Number(digits), ...(unit === null ? {} : { unit, system: UCUM, code: unit }) };
}

function valueOf(row: Row): Json {
  const { value } = row;
  const unit = ucumOf(row);
  switch (value.kind) {
    case 'word':
      return { valueCodeableConcept: { text: value.word } };
    case 'range':
      return { valueRange: { low: quantity(value.low, unit), high: quantity(value.high, unit) } };
    case 'number': {
      const { value: number, ...rest } = quantity(value.digits, unit);
      return {
        valueQuantity: {
          value: number,
          ...(value.comparator === null ? {} : { comparator: value.comparator }),
          ...rest,
        },
      };
    }
  }
}

function rangeOf(range: Range | null, unit: string | null): Json {
  if (range === null) return {};
  if (range.kind === 'words') return { referenceRange: [{ text: range.text }] };
  const { low, high } = range;
  const sides = {
    ...(low === null ? {} : { low: quantity(low, unit) }),
    ...(high === null ? {} : { high: quantity(high, unit) }),
  };
  return { referenceRange: [sides] };
}

const isUrine = (text: string): boolean => /urin/i.test(text);

/** A collection Bundle: patient, laboratory, specimen where it is said, a report for each panel, the results. */
export function buildFhir({ documentId, userId, collectedAt, laboratory, specimen, rows }: Findings): Json {
  const urn = (part: string): string => urnOf(documentId, part);
  const subject = { reference: urn('patient') };
  const performer = laboratory === null ? {} : { performer: [{ reference: urn('laboratory') }] };
  const specimenOf = (panel: Panel): Json | null =>
    specimen !== null && isUrine(specimen) === (panel.specimen === 'urine') ? { reference: urn('specimen') } : null;
  const panels = byPanel(rows);
  const isSpecimenUsed = panels.some(({ panel }) => specimenOf(panel) !== null);
  const entry = (part: string, resource: Json): Json => ({ fullUrl: urn(part), resource });
  const reports = panels.map(({ panel, rows: own }) => {
    const on = specimenOf(panel);
    return entry(`panel ${panel.key}`, {
      resourceType: 'DiagnosticReport',
      status: 'final',
      code: { ...(panel.loinc === null ? {} : { coding: [{ system: LOINC, code: panel.loinc }] }), text: panel.name },
      subject,
      effectiveDateTime: collectedAt,
      ...performer,
      ...(on === null ? {} : { specimen: [on] }),
      result: own.map(({ form }) => ({ reference: urn(form.loinc) })),
    });
  });
  const results = rows.map((row) => {
    const on = specimenOf(row.panel);
    return entry(row.form.loinc, {
      resourceType: 'Observation',
      status: 'final',
      category: [{ coding: [{ system: CATEGORY, code: 'laboratory' }] }],
      code: {
        coding: [
          { system: LOINC, code: row.form.loinc },
          { system: `${SOURCE}:codes`, code: row.biomarker.key, display: row.biomarker.name },
        ],
        text: row.biomarker.name,
      },
      subject,
      effectiveDateTime: collectedAt,
      ...performer,
      ...valueOf(row),
      ...(row.flag === null ? {} : { interpretation: [{ coding: [{ system: INTERPRETATION, code: row.flag }] }] }),
      ...(on === null ? {} : { specimen: on }),
      ...rangeOf(row.range, ucumOf(row)),
    });
  });
  return {
    resourceType: 'Bundle',
    id: documentId,
    type: 'collection',
    entry: [
      entry('patient', { resourceType: 'Patient', identifier: [{ system: `${SOURCE}:users`, value: userId }] }),
      ...(laboratory === null ? [] : [entry('laboratory', { resourceType: 'Organization', name: laboratory })]),
      ...(isSpecimenUsed
        ? [
            entry('specimen', {
              resourceType: 'Specimen',
              type: { text: specimen },
              subject,
              collection: { collectedDateTime: collectedAt },
            }),
          ]
        : []),
      ...reports,
      ...results,
    ],
  };
}
