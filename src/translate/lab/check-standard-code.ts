import { isLoinc, type LabQuestion } from '../../mappings/index.ts';
import { loincText } from '../loinc-text.ts';
import { listOf, textOf, wordOf, type Part } from '../parts.ts';
import { LOINC, type Scene } from '../scene.ts';
import { nameWith } from './specimen.ts';

/** In place of a UCUM code where a unit is given and nobody knows it. */
export const UNKNOWN_UNIT = 'unknown';

const rank = ({ system, code, display }: Part): string =>
  `${system === LOINC ? '0' : '1'}${wordOf(system)}|${wordOf(code)} ${wordOf(display)}`;

/** LOINC first, the source's own coding last, in whatever order they came. */
export function inCodingOrder(code: Part): Part {
  const codings = listOf(code['coding']);
  return codings.length < 2 ? code : { ...code, coding: codings.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)) };
}

export const loincsIn = (code: Part): readonly string[] => [
  ...new Set(
    listOf(code['coding'])
      .filter(({ system }) => system === LOINC)
      .map((one) => wordOf(one['code'])),
  ),
];

/** What the source's own coding of this test may become, by the words and the code of the coding. */
function loincsOfSource({ mappings }: Scene, coding: Part, specimen: string): ReadonlySet<string> {
  const names = [textOf(coding['display']), textOf(coding['code'])].filter((name) => name !== null);
  return new Set(
    names
      .flatMap((name) => [name, nameWith(name, specimen)])
      .flatMap((name) => [...(mappings.labLoincsOf(name) ?? [])]),
  );
}

/**
 * A result that says in LOINC what it is keeps its codes after checks: the check digit, the kind of its unit where the
 * data know the code, and what the source's own coding beside it would become.
 */
export function checkStandardCode(scene: Scene, at: string, code: Part, question: LabQuestion, specimen: string): void {
  const { mappings, notebook, setting } = scene;
  const loincs = loincsIn(code);
  if (setting.standardCodes === 'park') notebook.find('code.standard', at, loincs.map(loincText).join(', '));
  for (const one of loincs) {
    if (!isLoinc(one)) {
      notebook.find('code.unmapped', at, loincText(one));
      continue;
    }
    const found = mappings.checkLabCode(one, question);
    if (found === 'unknown') notebook.find('codes.unreviewed', at, loincText(one));
    // A unit that nobody knows is found where the value is read.
    if (found === 'dimension' && question.unit !== UNKNOWN_UNIT)
      notebook.find('unit.unmapped', at, `${loincText(one)} in ${question.unit ?? 'no unit'}`);
  }
  for (const coding of listOf(code['coding'])) {
    if (coding['system'] !== mappings.uris.code) continue;
    const own = loincsOfSource(scene, coding, specimen);
    if (own.size > 0 && !loincs.some((one) => own.has(one)))
      notebook.find('code.disagrees', at, `${wordOf(coding['code'])}, ${loincs.map(loincText).join(', ')}`);
  }
}
