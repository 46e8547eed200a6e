import type { KeyName, Settled } from './keys.ts';
import { ConfigError } from './load-config.ts';
import { readValues, settle, type Environment, type Problem, type ReadText } from './read-values.ts';

/** The few settings that a command needs. What is wrong with any other is not its matter. */
export function readSome<const N extends KeyName>(
  env: Environment,
  readText: ReadText,
  names: readonly N[],
): Pick<Settled, N> {
  const problems: Problem[] = [];
  const values = readValues(env, readText, problems);
  const wanted = new Set<string>(['CHARTGATE_CONFIG', ...names, ...names.map((name) => `${name}_FILE`)]);
  const wrong = problems.filter(({ key }) => wanted.has(key));
  if (wrong.length > 0) throw new ConfigError(wrong);
  // Nothing of these was refused; the type hides the others.
  return settle(values);
}
