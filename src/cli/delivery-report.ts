import type { AnswerOf, ContractOf } from '../admin/index.ts';

type Page = AnswerOf<ContractOf<'deliveries.list'>>;
type Detail = AnswerOf<ContractOf<'deliveries.get'>>;

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');

const row = (one: Page['deliveries'][number]): string =>
  `${joined(
    one.receivedAt,
    one.id,
    one.reason === null || one.reason === undefined ? one.state : `${one.state} (${one.reason})`,
    one.faultCode,
    one.dataStructure,
    one.mrn === null ? null : `MRN ${one.mrn}`,
    one.userId === null ? null : `user ${one.userId}`,
  )}\n`;

/** A line each, then how many there are and how to go on. */
export function tellDeliveries({ deliveries, next, total }: Page): string {
  const rows = deliveries.map(row).join('');
  const none = next === null ? 'no deliveries\n' : 'none on this page\n';
  const count = total === undefined ? '' : `${total.isExact ? '' : 'more than '}${total.count} in all\n`;
  const more = next === null ? '' : `more: --cursor ${next}\n`;
  return `${rows === '' ? none : rows}${count}${more}`;
}

const attemptLine = ({
  startedAt,
  kind,
  outcome,
  durationMs,
  httpStatus,
  faultCode,
  issues,
}: Detail['attempts'][number]) =>
  `  ${joined(
    startedAt,
    kind,
    outcome ?? 'under way',
    durationMs === null ? null : `${durationMs} ms`,
    httpStatus === null ? null : `status ${httpStatus}`,
    faultCode,
    issues.map(({ code, at }) => (at === null ? code : `${code} at ${at}`)).join(', '),
  )}\n`;

const wroteLine = ({ reference, resourceType, versionId, retractedAt }: Detail['wrote'][number]): string =>
  `  ${joined(
    reference ?? resourceType,
    versionId === null ? null : `version ${versionId}`,
    retractedAt === null ? null : `taken back ${retractedAt}`,
  )}\n`;

const stepLine = ({ at, from, to, reason, faultCode, actor }: Detail['steps'][number]): string =>
  `  ${joined(at, from === null ? to : `${from} to ${to}`, reason, faultCode, `by ${actor}`)}\n`;

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}\n${lines.join('')}`;

/** One delivery, part by part; what is not there is not mentioned. */
export function tellDelivery(one: Detail): string {
  const facts: readonly (readonly [string, string | number | null | undefined])[] = [
    ['id', one.id],
    ['received', one.receivedAt],
    ['state', one.state],
    ['because', one.reason],
    ['fault', one.faultCode],
    ['', one.detail],
    ['structure', one.dataStructure],
    ['version', one.documentVersion],
    ['user', one.userId],
    ['MRN', one.mrn],
    ['request', one.requestId],
    ['sender', one.sender],
    ['same as', one.duplicateOf],
    ['bytes', one.hasBody ? one.bodyBytes : `${one.bodyBytes}, no longer kept`],
  ];
  const told = facts.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name.padEnd(10)} ${value}\n`],
  );
  const changed = (one.conflicts ?? []).map(({ resourceType, name }) => `  ${resourceType} ${name}\n`);
  const leaving = (one.withdrawals ?? []).map(({ resourceType, name }) => `  ${resourceType} ${name}\n`);
  return [
    ...told,
    part(
      'findings',
      one.findings.map((finding) => `  ${finding}\n`),
    ),
    part('steps', one.steps.map(stepLine)),
    part('attempts, newest first', one.attempts.map(attemptLine)),
    part('wrote', one.wrote.map(wroteLine)),
    part('changed by somebody else', changed),
    part('would leave the chart', leaving),
  ].join('');
}
