import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{
    options: O & { help: { type: 'boolean'; short: 'h' } };
    allowPositionals: boolean;
    args: string[];
  }>
>;

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
    return { ok: false, wrong: thrown instanceof Error ? thrown.message : 'the arguments cannot be read' };
  }
}
