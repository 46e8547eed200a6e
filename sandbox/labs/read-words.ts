import { createHash } from 'node:crypto';
import { buildFhir, type Findings } from './build-fhir.ts';
import { buildServiceJson } from './build-service-json.ts';
import { checkRows } from './check-rows.ts';
import { findCollected } from './collected-at.ts';
import { findRows, type Row } from './find-rows.ts';
import type { FoundResult, LabReading, SubmittedDocument } from './lab-document.ts';
import { linesOf, type Line, type PageOfWords } from './word.ts';

/** Fewer words than these, and nothing was read. */
const WORDS_MIN = 8;
/** The name of the laboratory stands at the head. */
const HEAD_LINES = 8;

function foundOf({ form, biomarker, value, unit, panel }: Row): FoundResult {
  return {
    loinc: form.loinc,
    name: biomarker.name,
    comparator: value.kind === 'number' ? value.comparator : null,
    value: value.kind === 'number' ? value.digits : value.kind === 'word' ? value.word : `${value.low}-${value.high}`,
    unit,
    panel: panel.key,
  };
}

const laboratoryOf = (lines: readonly Line[]): string | null =>
  lines
    .slice(0, HEAD_LINES)
    .flatMap(({ cells }) => cells.map(({ text }) => text))
    .find(
      (text) =>
        text.length < 80 &&
        !text.includes(':') &&
        /\b(lab(or\w*)?s?|diagnostics?|pathology|clinic\w*|hospital)\b/i.test(text),
    ) ?? null;

function specimenOf(lines: readonly Line[]): string | null {
  for (const { cells } of lines)
    for (const [i, { text }] of cells.entries()) {
      const [, said] = /^(?:specimen|sample)(?:\s+type)?\s*:\s*(.*)$/i.exec(text) ?? [];
      const type = said === '' ? cells[i + 1]?.text : said;
      if (
        type !== undefined &&
        /^[A-Za-z ,/-]{3,30}$/.test(type) &&
        /blood|serum|plasma|urine|saliva|stool/i.test(type)
      )
        return type;
    }
  return null;
}

/** The same results of the same user at the same time, in whatever order and layout. */
export function contentKeyOf(
  clientUuid: string,
  userId: string,
  collectedAt: string,
  results: readonly FoundResult[],
): string {
  const said = results
    .map(({ loinc, comparator, value, unit }) => JSON.stringify([loinc, comparator, value, unit]))
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([clientUuid, userId, collectedAt, said]))
    .digest('hex');
}

/** From the words of a document to what the service sends of it. Pure: the same words, the same payload. */
export function readWords(
  pages: readonly PageOfWords[],
  document: Omit<SubmittedDocument, 'bytes' | 'kind'>,
): LabReading {
  const { clientUuid, userId, documentId, timezone, format } = document;
  const lines = pages.flatMap(linesOf);
  if (lines.reduce((count, { words }) => count + words.length, 0) < WORDS_MIN) return { kind: 'illegible' };
  const { rows, leftOut } = checkRows(findRows(lines));
  const collected = findCollected(lines);
  if (collected === null)
    return { kind: rows.length === 0 && pages.some(({ origin }) => origin === 'scanned') ? 'illegible' : 'undated' };
  if (rows.length === 0) return { kind: 'nothing-found' };
  // 4.4: the zone in the document, else the form's, else none.
  const collectedAt = `${collected.local}${collected.zone ?? timezone ?? ''}`;
  const findings: Findings = {
    documentId,
    userId,
    collectedAt,
    laboratory: laboratoryOf(lines),
    specimen: specimenOf(lines),
    rows,
  };
  const results = rows.map(foundOf);
  return {
    kind: 'read',
    payload: {
      version: 1,
      data_structure: 'lab_result',
      client_uuid: clientUuid,
      user_id: userId,
      document_version: 1,
      lab_result:
        format === 'fhir' ? { document_id: documentId, result: buildFhir(findings) } : buildServiceJson(findings),
    },
    collectedAt,
    results,
    leftOut,
    contentKey: contentKeyOf(clientUuid, userId, collectedAt, results),
  };
}
