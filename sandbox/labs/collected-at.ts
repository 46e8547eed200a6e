import { foldedOf, keyOfName } from './letters.ts';
import { findDate, findDayOrder, findTime, type DateParts, type DayOrder } from './read-date.ts';
import { findStatedZone, readZone } from './read-zone.ts';
import type { Line, Word } from './word.ts';

/** When the sample was taken. */
export interface Collected {
  /** `YYYY-MM-DDTHH:MM:SS`, as the document says it. */
  readonly local: string;
  /** As the document says it, or null. */
  readonly zone: string | null;
}

/** Labels, folded as misread letters are. The longest that fits counts. */
const COLLECTED = [
  'collected', 'collected on', 'collected at', 'collection', 'collection date', 'collection time', 'collection date time', 'collection date and time', 'date collected', // prettier-ignore
  'date time collected', 'date and time collected', 'time collected', 'date of collection', 'time of collection', 'date of specimen', 'specimen date', 'specimen collected', 'specimen collection', // prettier-ignore
  'specimen collection date', 'specimen taken', 'sample collected', 'sample collection', 'sample date', 'sample taken', 'sample drawn', 'drawn', 'date drawn', 'draw date', 'draw time', 'drawn on', 'blood drawn', // prettier-ignore
  'specimen drawn', 'date of sample', 'date sampled', 'sampled', 'sampling date', 'collected date', 'collected date time', 'coll date', 'coll date time', 'date of draw', // prettier-ignore
].map((label) => foldedOf(keyOfName(label))); // prettier-ignore
const OTHERS = [
  'received', 'date received', 'received in lab', 'received on', 'reported', 'date reported', 'report date', 'reported on', 'printed', 'date printed', 'print date', 'date of birth', 'dob', 'birth date', 'born', 'birthdate', // prettier-ignore
  'ordered', 'order date', 'date ordered', 'resulted', 'result date', 'verified', 'approved', 'issued', 'released', 'accession', 'patient', 'patient id', 'specimen', 'admitted', 'validated', // prettier-ignore
].map((label) => foldedOf(keyOfName(label))); // prettier-ignore

interface Label {
  readonly kind: 'collected' | 'other';
  readonly at: number;
  /** The word behind it. */
  readonly to: number;
}

/** Labels among the words of a line. A word inside a sentence is none: a label begins a cell, or ends with a colon. */
function labelsIn({ words, cells }: Line): Label[] {
  const starts = new Set(cells.map(({ words: [first] }) => first));
  const labels: Label[] = [];
  for (let i = 0; i < words.length; i += 1) {
    for (let length = Math.min(6, words.length - i); length > 0; length -= 1) {
      const last = words[i + length - 1];
      const text = words.slice(i, i + length).map((word) => word.text).join(' '); // prettier-ignore
      const folded = foldedOf(keyOfName(text));
      const kind = COLLECTED.includes(folded) ? 'collected' : OTHERS.includes(folded) ? 'other' : null;
      if (kind === null || (!starts.has(words[i]) && last?.text.endsWith(':') !== true && kind === 'collected'))
        continue;
      labels.push({ kind, at: i, to: i + length });
      i += length - 1;
      break;
    }
  }
  return labels;
}

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

interface Said {
  readonly date: DateParts | null;
  readonly time: string | null;
  readonly zone: string | null;
}

function readSaid(text: string, order: DayOrder | null): Said {
  const found = findDate(text, order);
  // ISO writes a T between the two.
  const behind = found === null ? text : text.slice(found.to).replace(/^[T,]/, ' ');
  const time = findTime(behind);
  return {
    date: found?.date ?? null,
    time: time?.time ?? null,
    zone: time === null ? null : readZone(behind.slice(time.to)),
  };
}

/** What a label says: behind it on its line, else below it in its column. */
function saidBy(
  lines: readonly Line[],
  n: number,
  labels: readonly Label[],
  label: Label,
  order: DayOrder | null,
): Said {
  const line = lines[n];
  if (line === undefined) return { date: null, time: null, zone: null };
  const next = labels.find(({ at }) => at >= label.to);
  const beside = readSaid(textOf(line.words.slice(label.to, next?.at)), order);
  if (beside.date !== null || beside.time !== null) return beside;
  const left = (line.words[label.at]?.x0 ?? 0) - line.height;
  const right = next === undefined ? Infinity : (line.words[next.at]?.x0 ?? Infinity) - line.height * 0.3;
  for (const below of lines.slice(n + 1, n + 3)) {
    if (below.page !== line.page || below.y - line.y > line.height * 5) break;
    const said = readSaid(textOf(below.words.filter(({ x0 }) => x0 >= left && x0 < right)), order);
    if (said.date !== null || said.time !== null) return said;
  }
  return beside;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Null where no date and time of collection can be read, or where two that differ can be. */
export function findCollected(lines: readonly Line[]): Collected | null {
  const whole = lines.map(({ words }) => textOf(words)).join('\n');
  const order = findDayOrder(whole);
  const all = lines.flatMap((line, n) => {
    const labels = labelsIn(line);
    return labels.filter(({ kind }) => kind === 'collected').map((label) => saidBy(lines, n, labels, label, order));
  });
  const dates = [
    ...new Set(all.flatMap(({ date }) => (date === null ? [] : [`${date.year}-${two(date.month)}-${two(date.day)}`]))),
  ];
  const times = [...new Set(all.flatMap(({ time }) => (time === null ? [] : [time])))];
  const [date, otherDate] = dates;
  const [time, otherTime] = times;
  if (date === undefined || time === undefined || otherDate !== undefined || otherTime !== undefined) return null;
  return { local: `${date}T${time}`, zone: all.find(({ zone }) => zone !== null)?.zone ?? findStatedZone(whole) };
}
