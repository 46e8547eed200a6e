import { byPanel, ucumOf, type Findings } from './build-fhir.ts';
import type { Row } from './find-rows.ts';

type Json = Readonly<Record<string, unknown>>;
const numberOf = (digits: string | null): number | null => (digits === null ? null : Number(digits));

function biomarkerOf(row: Row): Json {
  const { biomarker, form, printed, value, range, flag } = row;
  return {
    name_string: biomarker.name,
    name_in_document_string: printed,
    code_string: biomarker.key,
    loinc_string: form.loinc,
    value_float: value.kind === 'number' ? Number(value.digits) : null,
    value_string:
      value.kind === 'word' ? value.word : value.kind === 'range' ? `${value.low}-${value.high}` : value.digits,
    comparator_string: value.kind === 'number' ? value.comparator : null,
    unit_string: ucumOf(row),
    reference_low_float: range?.kind === 'numbers' ? numberOf(range.low) : null,
    reference_high_float: range?.kind === 'numbers' ? numberOf(range.high) : null,
    reference_string: range?.kind === 'words' ? range.text : null,
    flag_string: flag,
  };
}

/** The service's own JSON. Its fields are not published: these follow the naming of its other payloads. */
export function buildServiceJson({ documentId, userId, collectedAt, laboratory, specimen, rows }: Findings): Json {
  return {
    metadata: {
      document_id_string: documentId,
      user_id_string: userId,
      collection_datetime_string: collectedAt,
      laboratory_string: laboratory,
      specimen_string: specimen,
    },
    panels_array: byPanel(rows).map(({ panel, rows: own }) => ({
      name_string: panel.name,
      loinc_string: panel.loinc,
      biomarkers_array: own.map(biomarkerOf),
    })),
  };
}
