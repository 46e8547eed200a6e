type Part = Readonly<Record<string, unknown>>;
const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const listOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as readonly Part[]) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => Number(value ?? 0);
const many = (count: number, one: string, several: string): string => `${count} ${count === 1 ? one : several}`;

const KINDS: Readonly<Record<string, string>> = {
  write: 'would be written',
  'nothing-to-write': 'nothing would have to be written',
  park: 'would be parked, for a person to look at',
  refuse: 'would be refused: the EHR does not take it',
  'not-yet': 'not known yet: the EHR could not be asked',
};

const REASONS: Readonly<Record<string, string>> = {
  'new-patient': 'a patient would be created first',
  relink: 'taken out of the chart of another patient',
};

/** Cells in columns that are as wide as they must be; numbers stand at the right. */
function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => String(row[i] ?? '').length)));
  const cell = (value: string | number, i: number): string =>
    typeof value === 'number' || (i > 0 && rows.some((row) => typeof row[i] === 'number'))
      ? String(value).padStart(widths[i] ?? 0)
      : value.padEnd(widths[i] ?? 0);
  return rows.map((row) => `  ${row.map(cell).join('  ').trimEnd()}\n`).join('');
}

const reasonOf = ({ reason, faultCode }: Part): string =>
  [REASONS[textOf(reason)] ?? textOf(reason), textOf(faultCode)].filter((word) => word !== '').join(', ');

function outcomesText(outcomes: readonly Part[]): string {
  const kinds = Object.keys(KINDS).filter((kind) => outcomes.some((one) => one['kind'] === kind));
  return kinds
    .map((kind) => {
      const own = outcomes.filter((one) => one['kind'] === kind);
      const sum = own.reduce((all, one) => all + countOf(one['count']), 0);
      const rows = own.map((one) => [
        countOf(one['count']),
        reasonOf(one) || 'as it is',
        `for example ${textOf(one['example'])}`,
      ]);
      return `\n${sum} ${KINDS[kind] ?? kind}\n${table(rows)}`;
    })
    .join('');
}

function resourcesText(resources: readonly Part[], newPatients: number): string {
  if (resources.length === 0) return '';
  const columns = ['create', 'update', 'withdraw', 'present', 'leftOut'] as const;
  const head = ['', 'create', 'update', 'withdraw', 'already there', 'left out'];
  const rows = resources.map((one) => [textOf(one['resourceType']), ...columns.map((name) => countOf(one[name]))]);
  const patients = newPatients === 0 ? '' : `  and ${many(newPatients, 'patient', 'patients')} would be created\n`;
  return `\nResources, each counted once\n${table([head, ...rows])}${patients}`;
}

function stoppedText(report: Part): string {
  const rows = (['parked', 'quarantined'] as const).flatMap((state) =>
    listOf(report[state]).map((one) => [
      countOf(one['count']),
      `${state} ${textOf(one['reason'])}`,
      `for example ${textOf(one['example'])}`,
    ]),
  );
  return rows.length === 0 ? '' : `\nStopped before their lane since then\n${table(rows)}`;
}

/** Of the reasons of the plan those that are about what would be written. */
function ehrText(ehr: Part, resources: readonly Part[]): string {
  const dialect = partOf(ehr['dialect']);
  const fault = textOf(ehr['probeFault']);
  const types = resources.map((one) => `${textOf(one['resourceType'])}.identity`);
  const reasons = listOf(partOf(ehr['plan'])['reasons']).filter(({ of }) => {
    const about = textOf(of);
    return !about.endsWith('.identity') || types.includes(about);
  });
  return [
    '\nEHR\n',
    fault === '' ? '' : `  could not be asked what it can: ${fault}\n`,
    ehr['breaker'] === 'closed'
      ? ''
      : '  is left alone at the moment: it failed too often, or refused our credentials\n',
    table([
      ['dialect', textOf(dialect['name']), textOf(dialect['because'])],
      ...reasons.map((one) => [textOf(one['of']), textOf(one['chosen']), textOf(one['because'])]),
    ]),
  ].join('');
}

/** How far the evaluation has come, in [0, 1]. */
export function progressOf(report: Part): { readonly part: number; readonly words: string } {
  const [all, done] = [countOf(partOf(report['waiting'])['total']), countOf(report['evaluated'])];
  return { part: all === 0 ? 1 : Math.min(1, done / all), words: `${done} of ${all} evaluated` };
}

function headText(report: Part): string {
  const waiting = partOf(report['waiting']);
  const since = textOf(report['since']);
  const retractions = countOf(waiting['retractions']);
  const head =
    report['state'] === 'shadow'
      ? `Shadow mode since ${since}. Nothing is written to the EHR.\n`
      : `Shadow mode was on since ${since}. What waits is held back until somebody confirms it.\n`;
  const waits = [
    many(countOf(waiting['deliveries']), 'delivery waits', 'deliveries wait'),
    ...(retractions === 0
      ? []
      : [`${many(retractions, 'document waits', 'documents wait')} to be taken out of another chart`]),
  ];
  return [
    head,
    `${waits.join(', ')}, for ${many(countOf(waiting['lanes']), 'patient', 'patients')}`,
    waiting['oldestAt'] === null ? '.\n' : `, the oldest since ${textOf(waiting['oldestAt'])}.\n`,
    countOf(report['pending']) === 0 ? '' : `${progressOf(report).words} so far; the figures below still grow.\n`,
  ].join('');
}

const nextText = (report: Part): string =>
  report['state'] === 'shadow'
    ? 'To write, start the gateway with CHARTGATE_MODE=live. What waits is then held back until its number is confirmed.'
    : `To forward it, in order: chartgate shadow leave --confirm ${countOf(partOf(report['waiting'])['total'])}`;

/** The report for a person. */
export function shadowText(report: Part): string {
  if (report['state'] === 'running') return 'Shadow mode is off: deliveries are written to the EHR.\n';
  const resources = listOf(report['resources']);
  return [
    headText(report),
    outcomesText(listOf(report['outcomes'])),
    resourcesText(resources, countOf(report['newPatients'])),
    stoppedText(report),
    ehrText(partOf(report['ehr']), resources),
    `\n${nextText(report)}\n`,
  ].join('');
}

/** One delivery in a line. */
export function evaluationLine(one: Part): string {
  const counts = Object.entries(partOf(one['counts'])).map(
    ([change, byType]) =>
      `${change} ${Object.entries(partOf(byType))
        .map(([type, count]) => `${String(count)} ${type}`)
        .join(', ')}`,
  );
  const parts = [
    textOf(one['id']),
    textOf(one['dataStructure']),
    textOf(one['kind']),
    [textOf(one['reason']), textOf(one['faultCode'])].filter((word) => word !== '').join(', '),
    counts.join('; '),
  ];
  return `${parts.filter((part) => part !== '').join('  ')}\n`;
}
