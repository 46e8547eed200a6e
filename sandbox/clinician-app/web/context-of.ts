import { wordsOf, type Coding, type Concept, type Observation } from './chart-parts.ts';
import type { MeasuredTime } from './time-of.ts';

const STANDARD_CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const SOURCE_CATEGORY = 'urn:chartgate:source-category';
/** Under which of its three daily summaries the source reported it. */
const SUMMARY: Readonly<Record<string, string>> = {
  'vital-signs': 'body',
  activity: 'physical activity',
  survey: 'sleep',
};

const categoryWords = ({ system, code = '', display }: Coding): string =>
  system === SOURCE_CATEGORY ? (display ?? SUMMARY[code] ?? code) : (display ?? code);

const isOwn = ({ system }: Coding): boolean => system !== undefined && system !== STANDARD_CATEGORY;

/** Under what circumstances something was measured, as far as the chart says so. */
export interface Context {
  /** Measurements of different circumstances are never drawn as one line, whatever tells them apart. */
  readonly key: string;
  /** Empty where the chart says nothing. */
  readonly words: string;
  readonly isSleep: boolean;
}

const IS_CONTEXT = /\b(context|circumstance|during)\b/i;

export function contextOf({ category = [], method, component = [] }: Observation): Context {
  const codings = category.flatMap(({ coding = [] }) => coding);
  const said = (concepts: readonly (Concept | undefined)[]): string[] =>
    concepts.map(wordsOf).filter((words) => words !== '');
  const own = [
    ...said(component.filter(({ code }) => IS_CONTEXT.test(wordsOf(code))).map((part) => part.valueCodeableConcept)),
    ...category.flatMap(({ text }) => (text === undefined ? [] : [text])),
    ...codings.filter(isOwn).map(categoryWords),
  ];
  const words = [...new Set([...own, ...said([method])])].join(', ');
  const codes = codings.map(({ system = '', code = '' }) => `${system}|${code}`).sort();
  return { key: JSON.stringify([codes, words]), words, isSleep: /\b(sleep|asleep|night)/i.test(words) };
}

/** What a series is called beside another of the same name. */
export const contextName = ({ words }: Context, { extent }: MeasuredTime): string =>
  words !== '' ? words : extent === 'day' ? 'whole day' : extent === 'moment' ? 'single readings' : 'other periods';
