import type { Fingerprint, Said } from '../lanes/index.ts';
import type { Wanted } from '../translate/index.ts';

/**
 * Whatever the way to the EHR needs of a wanted resource, worked out once: in plain texts, so that it can be made in a
 * thread, and nobody builds the resource as an object again.
 */
export interface Finished {
  readonly resourceType: string;
  readonly digest: string;
  readonly said: Said | null;
  /** By what apps may filter that it was written. */
  readonly labels: readonly string[];
  /** With the patient of its document as the patient of the chart. */
  readonly fingerprint: Fingerprint;
  /** Its JSON, cut at its references: text, reference, text, and so on, and a text at the end. */
  readonly pieces: readonly string[];
}

export type Unfinished = Omit<Wanted, 'resource'>;

/** For the day of what has none. */
const NO_DAY = '-';
const NOTHING_MORE = '';

/** What few have. */
function moreOf(wanted: Wanted): string {
  const { name: _name, shelf: _shelf, reference: _reference, resource: _resource, ...rest } = wanted;
  const { group: _group, chartDay: _day, write: _write, ...more } = rest;
  return JSON.stringify(more);
}
const NAMES_OF_ALL = 7;
const hasMore = (wanted: Wanted): boolean => Object.keys(wanted).length > NAMES_OF_ALL;

/** Texts of a document that are written as they are: each must be one line. */
const isLine = (text: string): boolean => !text.includes('\n');

function areLines({ chartDay, shelf }: Wanted, { said, labels, resourceType }: Finished): boolean {
  for (const label of labels) if (!isLine(label)) return false;
  if (!isLine(shelf)) return false;
  return isLine(resourceType) && (said === null || isLine(said.status)) && (chartDay === null || isLine(chartDay));
}

/**
 * Adds a finished resource, line by line. One text for a whole translation goes from thread to thread for half of what
 * objects cost on either side. Names, digests and references have no line ends, and JSON writes them as escapes.
 * Answers `unwritable` where a text of the document has one.
 */
export function addLines(lines: string[], wanted: Wanted, finished: Finished): 'added' | 'unwritable' {
  if (!areLines(wanted, finished)) return 'unwritable';
  const { name, shelf, reference, group, chartDay, write } = wanted;
  const { resourceType, digest, said, labels, fingerprint, pieces } = finished;
  lines.push(name, shelf, reference, group, chartDay ?? NO_DAY, write, hasMore(wanted) ? moreOf(wanted) : NOTHING_MORE);
  lines.push(resourceType, digest, said?.meaning ?? '', said?.status ?? '', fingerprint);
  lines.push(String(labels.length));
  for (const label of labels) lines.push(label);
  lines.push(String(pieces.length));
  for (const piece of pieces) lines.push(piece);
  return 'added';
}

/** The next lines, so many of them as the line before them says. */
function takeList(lines: readonly string[], at: number): readonly string[] {
  return lines.slice(at + 1, at + 1 + Number(lines[at]));
}

/** Reads what was written, one after the other. */
export function readLines(text: string, onEach: (of: Unfinished, finished: Finished) => void): void {
  const lines = text === '' ? [] : text.split('\n');
  const line = (at: number): string => lines[at] ?? '';
  for (let i = 0; i < lines.length;) {
    const day = line(i + 4);
    const more = line(i + 6);
    const meaning = line(i + 9);
    const labels = takeList(lines, i + 12);
    const atPieces = i + 13 + labels.length;
    const pieces = takeList(lines, atPieces);
    const of = {
      name: line(i),
      shelf: line(i + 1),
      reference: line(i + 2),
      group: line(i + 3) as Wanted['group'],
      chartDay: day === NO_DAY ? null : day,
      write: line(i + 5) as Wanted['write'],
    };
    onEach(more === NOTHING_MORE ? of : { ...of, ...(JSON.parse(more) as object) }, {
      resourceType: line(i + 7),
      digest: line(i + 8),
      said: meaning === '' ? null : { status: line(i + 10), meaning },
      labels,
      fingerprint: line(i + 11) as Fingerprint,
      pieces,
    });
    i = atPieces + 1 + pieces.length;
  }
}
