import type { Expected } from './expected.ts';
import type { Finished, TestResult } from './test-result.ts';

export type Tally = { readonly pass: number; readonly fail: number; readonly skip: number };

/** One row of the table: the same tests at the EHR itself, where that was asked for, and through the gateway. */
export type Compared = {
  readonly name: string;
  readonly gateway: Finished;
  readonly ehr: Finished | null;
};

/** A test that failed, or that passes at the EHR itself and not through the gateway. */
export type Finding = {
  readonly kind: 'failed' | 'lost' | 'stopped';
  readonly run: string;
  readonly test: string;
  readonly isOptional: boolean;
  readonly message: string;
};

export type Verdict = {
  readonly unexpected: readonly Finding[];
  readonly expected: readonly (Finding & { readonly reason: string })[];
  /** Entries of the list about runs that took place, of which nothing was found. */
  readonly unneeded: readonly Expected[];
};

const FAILED = new Set(['fail', 'error', 'cancel', 'wait', 'running']);
const isFailed = ({ outcome }: TestResult): boolean => FAILED.has(outcome);

/** What is omitted applies to nobody here, and counts nowhere. */
export const tally = (tests: readonly TestResult[]): Tally => ({
  pass: tests.filter(({ outcome }) => outcome === 'pass').length,
  fail: tests.filter(isFailed).length,
  skip: tests.filter(({ outcome }) => outcome === 'skip').length,
});

/** Tests that pass at the EHR itself and do not pass through the gateway, or were not even run there. */
export function findLost(ehr: readonly TestResult[], gateway: readonly TestResult[]): TestResult[] {
  const through = new Map(gateway.map((test) => [test.id, test]));
  return ehr
    .filter(({ outcome }) => outcome === 'pass')
    .map((test) => through.get(test.id) ?? { ...test, outcome: 'cancel' as const, message: 'was not run' })
    .filter(({ outcome }) => outcome !== 'pass');
}

function findingsOf({ name, gateway, ehr }: Compared): Finding[] {
  const of = (kind: Finding['kind'], { id, isOptional, message }: TestResult): Finding => ({
    kind,
    run: name,
    test: id,
    isOptional,
    message,
  });
  const stopped = [gateway, ...(ehr === null ? [] : [ehr])].flatMap(({ stopped: why }): Finding[] =>
    why === null ? [] : [{ kind: 'stopped', run: name, test: '', isOptional: false, message: why }],
  );
  const lost = ehr === null ? [] : findLost(ehr.tests, gateway.tests);
  const isLost = new Set(lost.map(({ id }) => id));
  return [
    ...stopped,
    ...gateway.tests.filter((test) => isFailed(test) && !isLost.has(test.id)).map((test) => of('failed', test)),
    ...lost.map((test) => of('lost', test)),
  ];
}

/** An entry is about the runs whose names begin with its `run`, and the tests whose ids end with its `test`. */
const isAbout = ({ run, test, of }: Expected, finding: Finding): boolean =>
  (of === 'data' ? finding.kind === 'failed' : finding.kind !== 'stopped') &&
  finding.run.startsWith(run) &&
  finding.test.endsWith(test);

/** What was found, divided by whether the list expects it. */
export function judgeRuns(runs: readonly Compared[], list: readonly Expected[]): Verdict {
  const findings = runs.flatMap(findingsOf);
  const entryOf = (finding: Finding): Expected | undefined => list.find((entry) => isAbout(entry, finding));
  return {
    unexpected: findings.filter((finding) => entryOf(finding) === undefined),
    expected: findings.flatMap((finding) => {
      const entry = entryOf(finding);
      return entry === undefined ? [] : [{ ...finding, reason: entry.reason }];
    }),
    unneeded: list.filter(
      (entry) =>
        entry.of === 'gateway' &&
        runs.some(({ name }) => name.startsWith(entry.run)) &&
        !findings.some((finding) => isAbout(entry, finding)),
    ),
  };
}
