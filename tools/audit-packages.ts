/*
 * `npm run test:advisories`: whether the registry knows of a weakness in a package that ours bring. Ends with 1 where one
 * is high or critical, and with 3 where the registry has no list of them, as many mirrors of companies have none.
 */
import { spawnSync } from 'node:child_process';

interface Report {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly via: readonly (string | { readonly title?: string })[] }>
  >;
  readonly auditReportVersion?: number;
}

export type Audited =
  | { readonly kind: 'not-run' }
  | { readonly kind: 'looked-at'; readonly grave: readonly string[]; readonly others: number };

/** What `npm audit --json` printed, weighed. */
export function weighAudit(printed: string): Audited {
  let report: Report;
  try {
    report = JSON.parse(printed) as Report;
  } catch {
    return { kind: 'not-run' };
  }
  if (report.auditReportVersion === undefined) return { kind: 'not-run' };
  const found = Object.entries(report.vulnerabilities ?? {});
  const isGrave = ({ severity }: { readonly severity: string }): boolean => ['high', 'critical'].includes(severity);
  const words = (via: readonly (string | { readonly title?: string })[]): string =>
    via.map((one) => (typeof one === 'string' ? one : (one.title ?? ''))).join('; ');
  return {
    kind: 'looked-at',
    grave: found
      .filter(([, one]) => isGrave(one))
      .map(([name, { severity, via }]) => `${name}: ${severity}: ${words(via)}`),
    others: found.filter(([, one]) => !isGrave(one)).length,
  };
}

if (import.meta.main) {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--audit=true'], { encoding: 'utf8' });
  const audited = weighAudit(stdout);
  if (audited.kind === 'not-run') {
    console.log('NOT RUN: the registry has no list of advisories.');
    process.exitCode = 3;
  } else {
    console.log(`${audited.grave.length} high or critical, ${audited.others} others`);
    for (const one of audited.grave) console.log(`  ${one}`);
    process.exitCode = audited.grave.length === 0 ? 0 : 1;
  }
}
