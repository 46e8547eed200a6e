import type { Explanation } from '../forward/index.ts';
import type { ChartContent } from '../lanes/index.ts';
import { digitsOf } from '../r4/index.ts';

type Part = Readonly<Record<string, unknown>>;
const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const listOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as readonly Part[]) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const SIGNS = { create: '+', update: '~', keep: '=', skip: '.', retract: '-', conflict: '!' } as const;

function nameOf(code: unknown): string {
  const { coding, text } = partOf(code);
  const [first] = listOf(coding);
  return [textOf(first?.['code']), textOf(text) || textOf(first?.['display'])].filter((word) => word !== '').join(' ');
}

const quantityOf = (value: unknown): string => {
  const quantity = partOf(value);
  const number = digitsOf(quantity['value']) ?? '';
  return `${textOf(quantity['comparator'])}${number} ${textOf(quantity['unit'])}`.trim();
};

function valueOf(resource: Part): string {
  if (resource['valueQuantity'] !== undefined) return quantityOf(resource['valueQuantity']);
  if (resource['valueInteger'] !== undefined) return digitsOf(resource['valueInteger']) ?? '';
  if (resource['valueCodeableConcept'] !== undefined) return nameOf(resource['valueCodeableConcept']);
  return listOf(resource['component'])
    .map((one) => quantityOf(one['valueQuantity']))
    .filter((text) => text !== '')
    .join(' / ');
}

/** What stands in the chart, in the same order; a code is told without its system. */
const chartParts = ({
  status = '',
  code = '',
  time = '',
  value = '',
  unit = '',
  components = '',
}: ChartContent): string[] => [status, code.replaceAll(/[^|; ]+\|/g, ''), `${value} ${unit}`.trim(), components, time];

function lineOf({ change, resourceType, chartDay, resource, chart }: Explanation['resources'][number]): string {
  const shown = partOf(resource);
  const parts =
    chart === null
      ? [textOf(shown['status']), nameOf(shown['code'] ?? shown['type']), valueOf(shown), chartDay ?? '']
      : chartParts(chart);
  return `  ${SIGNS[change]} ${[resourceType, ...parts.filter((part) => part !== '')].join('  ')}\n`;
}

const findingLine = ({ rule, at, profile, text }: Explanation['claimFindings'][number]): string =>
  `${rule}  ${at}${profile === null ? '' : `  [${profile}]`}  ${text}\n`;

/** The profiles that are asked of a resource, and what it misses of them. */
const profileLines = ({ profiles, profileFindings }: Explanation['resources'][number]): string =>
  [
    ...profiles.map((profile) => `      profile ${profile}\n`),
    ...profileFindings.map((finding) => `      ! ${findingLine(finding)}`),
  ].join('');

const standingOf = ({ delivery }: Explanation): string => {
  if (delivery === null) return '';
  const { state, reason, faultCode, detail } = delivery;
  const why = [reason, faultCode].filter((word) => word !== null);
  return `It is ${state}${why.length === 0 ? '' : ` (${[...new Set(why)].join(', ')})`}.${detail === null ? '' : ` ${detail}`}\n`;
};

/** What would be written and why, for a person. */
export function explanationText(e: Explanation): string {
  const who = e.link === null ? 'nobody: the source user has no confirmed link' : `${e.link.mrnSystem}|${e.link.mrn}`;
  const counts = (['create', 'update', 'keep', 'skip', 'retract', 'conflict'] as const)
    .map((kind) => [kind, e.resources.filter(({ change }) => change === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} to ${kind}`);
  return [
    `${e.dataStructure}, version ${e.documentVersion}, for ${who}\n`,
    standingOf(e),
    `dialect ${e.dialect}${e.dialectBecause === 'not-asked-yet' ? ' (the EHR was not asked yet what it is)' : ''}, mappings ${e.mappings.slice(0, 12)}${e.template === null ? '' : `, template ${e.template}`}\n`,
    e.trouble === null ? 'Nothing was sent.' : `Nothing was sent, and nothing would be: ${e.trouble}.`,
    counts.length === 0 ? '\n' : ` Of its resources ${counts.join(', ')}.\n`,
    e.leftOut.length === 0
      ? ''
      : `Left out, and waiting: ${e.leftOut.map(({ at, why }) => `${at} (${why})`).join(', ')}.\n`,
    e.resources.length === 0 ? '' : '\nResources\n',
    ...e.resources.map((one) => lineOf(one) + profileLines(one)),
    e.decisions.length === 0 ? '' : '\nDecisions\n',
    ...e.decisions.map(
      ({ at, what, from, to, row }) =>
        `  ${at}  ${what}  ${from} -> ${to ?? 'nothing'}${row === null ? '' : `  [${row}]`}\n`,
    ),
    e.findings.length === 0 ? '' : '\nFindings\n',
    ...e.findings.map(({ code, at, what }) => `  ${code}  ${at}${what === null ? '' : `  ${what}`}\n`),
    e.issues.length === 0 ? '' : '\nNot valid R4\n',
    ...e.issues.map((issue) => `  ${issue}\n`),
    e.claimFindings.length === 0 ? '' : '\nNot as the source claims\n',
    ...e.claimFindings.map((finding) => `  ${findingLine(finding)}`),
  ].join('');
}
