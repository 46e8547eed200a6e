import { adjudicate, type Adjudication, type Disagreement, type Finding } from './adjudication.ts';
import type { Half, JudgedCase } from './corpus.ts';

/** Our engine, with the guides loaded. */
export type Validate = (resource: unknown, profiles: readonly string[]) => readonly Finding[];

export interface Agreement {
  readonly guide: string;
  readonly half: Half;
  readonly cases: number;
  /** By the judge. */
  readonly invalid: number;
  readonly wronglyAccepted: number;
  readonly wronglyRefused: number;
  /** Disagreements in which an adjudication finds us right. */
  readonly adjudicated: number;
  /** Shares of agreement, as they are and after adjudication. */
  readonly raw: number;
  readonly agreement: number;
  /** Published examples that the judge accepts and we refuse. */
  readonly examplesRefused: readonly string[];
  readonly disagreements: readonly Disagreement[];
}

export function compare(
  guide: string,
  half: Half,
  cases: readonly JudgedCase[],
  validate: Validate,
  entries: readonly Adjudication[],
): Agreement {
  const disagreements: Disagreement[] = [];
  for (const judged of cases) {
    const findings = validate(judged.resource, judged.profiles).filter(({ severity }) => severity === 'error');
    if ((findings.length === 0) === judged.judge.valid) continue;
    disagreements.push({ judged, kind: findings.length === 0 ? 'wrongly-accepted' : 'wrongly-refused', findings });
  }
  const adjudicated = disagreements.filter((one) => adjudicate(one, entries) === 'ours').length;
  const count = (kind: Disagreement['kind']): number => disagreements.filter((one) => one.kind === kind).length;
  const share = (wrong: number): number => (cases.length === 0 ? 1 : 1 - wrong / cases.length);
  return {
    guide,
    half,
    cases: cases.length,
    invalid: cases.filter(({ judge }) => !judge.valid).length,
    wronglyAccepted: count('wrongly-accepted'),
    wronglyRefused: count('wrongly-refused'),
    adjudicated,
    raw: share(disagreements.length),
    agreement: share(disagreements.length - adjudicated),
    examplesRefused: disagreements
      .filter(({ judged, kind }) => kind === 'wrongly-refused' && judged.id.startsWith('example/'))
      .map(({ judged }) => judged.id),
    disagreements,
  };
}

export interface DisagreementGroup {
  readonly kind: Disagreement['kind'];
  /** The judge's messageIds where we accept, our rules where we refuse. */
  readonly by: string;
  readonly who: 'ours' | 'judge';
  readonly count: number;
  readonly examples: readonly { readonly id: string; readonly text: string }[];
}

const EXAMPLES_SHOWN = 3;

export function groupDisagreements(
  disagreements: readonly Disagreement[],
  entries: readonly Adjudication[],
): readonly DisagreementGroup[] {
  const groups = Map.groupBy(disagreements, (one) => {
    const names =
      one.kind === 'wrongly-accepted'
        ? one.judged.judge.issues.map(({ messageId }) => messageId ?? '(no messageId)')
        : one.findings.map(({ rule }) => rule);
    return JSON.stringify([one.kind, [...new Set(names)].toSorted().join(', '), adjudicate(one, entries)]);
  });
  return [...groups]
    .map(([key, list]): DisagreementGroup => {
      const [kind, by, who] = JSON.parse(key) as [Disagreement['kind'], string, 'ours' | 'judge'];
      const examples = list.slice(0, EXAMPLES_SHOWN).map(({ judged, findings }) => {
        const [issue] = judged.judge.issues;
        const [finding] = findings;
        const text = kind === 'wrongly-accepted' ? `${issue?.location ?? ''}: ${issue?.message ?? ''}` : undefined;
        return { id: judged.id, text: text ?? `${finding?.expression ?? ''}: ${finding?.text ?? ''}` };
      });
      return { kind, by, who, count: list.length, examples };
    })
    .toSorted((one, two) => two.count - one.count);
}
