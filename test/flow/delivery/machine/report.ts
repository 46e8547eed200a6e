import type { Played } from './play-program.ts';
import { actText, type Program } from './program.ts';

const lines = (of: readonly string[]): string => of.map((line) => `\n    ${line}`).join('');

/** What was played and what came of it, for a person. */
export function reportOf({ character, acts }: Program, played: Played | Error): string {
  const head = `  EHR ${JSON.stringify(character.traits)}\n  acts${lines(acts.map(actText))}`;
  if (played instanceof Error) return `${head}\n  thrown ${played.stack ?? played.message}`;
  const { history, standing, trails, violations } = played;
  const ends = history.said.map(({ deliveryId, user, version, content }) => {
    const { state, reason } = standing.get(deliveryId) ?? {};
    return `${user} version ${version} ${JSON.stringify(content)}: ${state ?? 'unknown'} ${reason ?? ''}`;
  });
  const writes = trails.map(({ metric, patient, stands }) => {
    const each = stands.map(
      ({ n, value, isPerson }) => `${n} ${value ?? 'withdrawn'}${isPerson ? ' by a person' : ''}`,
    );
    return `${metric} of ${patient}: ${each.join(', ')}`;
  });
  const wrong = violations.map(({ kind, about }) => `${kind}: ${about}`);
  return `${head}\n  ends${lines(ends)}\n  writes${lines(writes)}\n  violations${lines(wrong)}`;
}
