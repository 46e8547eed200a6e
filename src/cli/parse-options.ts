import { parseArgs, type ParseArgsConfig } from 'node:util';
import { isError } from '../kernel/index.ts';
import { didYouMean } from './did-you-mean.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{
    options: O & { help: { type: 'boolean'; short: 'h' } };
    allowPositionals: boolean;
    args: string[];
  }>
>;

/** Node's own sentence without its advice about `--`, and the option that was probably meant. */
function sayWrong(thrown: unknown, options: readonly string[]): string {
  if (!isError(thrown)) return 'The arguments cannot be read.';
  const unknown = /^Unknown option '(--?[^']+)'/.exec(thrown.message);
  if (unknown === null) return thrown.message;
  const [, given = ''] = unknown;
  const known = [...options, 'help'].map((name) => `--${name}`);
  return `There is no option ${given}.${didYouMean(given, known)}`;
}

/** Arguments as the command declares them, or the sentence that tells what is wrong with them. */
export function parseOptions<const O extends Options>(
  args: readonly string[],
  options: O,
  positionals: 'none' | 'some',
): { readonly ok: true; readonly value: Parsed<O> } | { readonly ok: false; readonly wrong: string } {
  try {
    const value = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: positionals === 'some',
    });
    return { ok: true, value };
  } catch (thrown) {
    return { ok: false, wrong: sayWrong(thrown, Object.keys(options)) };
  }
}
