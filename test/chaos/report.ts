import type { Violation } from './check-acknowledged.ts';

interface Judged {
  readonly round: number;
  readonly acknowledged: number;
  readonly violations: readonly Violation[];
}

const SHOWN = 5;

/** One line a round: its figures, then the first violations. */
export function roundLine({ violations, ...figures }: Judged): string {
  const said = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
  const wrong = violations.slice(0, SHOWN).map(({ kind, about }) => `${kind} ${about}`);
  return [...said, `violations ${violations.length}`, ...wrong].join(', ');
}

export function summarize(rounds: readonly Judged[], fromMs: number) {
  const kinds = Object.groupBy(
    rounds.flatMap(({ violations }) => violations),
    ({ kind }) => kind,
  );
  return {
    rounds: rounds.length,
    acknowledged: rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    lost: kinds.lost?.length ?? 0,
    violations: Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all.length])),
    seconds: Math.round((performance.now() - fromMs) / 100) / 10,
  };
}

/** Lines for people, or with `isJson` one object of everything; 1 where something was violated. */
export function finish(rounds: readonly Judged[], more: object, fromMs: number, isJson: boolean): 0 | 1 {
  const summary = { ...more, ...summarize(rounds, fromMs) };
  process.stdout.write(`${JSON.stringify(isJson ? { ...summary, each: rounds } : summary)}\n`);
  return rounds.some(({ violations }) => violations.length > 0) ? 1 : 0;
}
