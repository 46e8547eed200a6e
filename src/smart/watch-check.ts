import type { Result, Span } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { PassPage } from './pass-page.ts';

/** Tells how long the check of a page took, and how many entries it left. */
export async function watchCheck<T extends { readonly entries: readonly unknown[] }>(
  span: Span,
  checking: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const step = span.begin();
  const checked = await checking();
  step.end(
    'read.check',
    checked.ok ? { 'chartgate.count': checked.value.entries.length } : { 'error.type': checked.fault.code },
  );
  return checked;
}

/** The same of a page that is checked on its bytes; one that is not beyond doubt is checked again, and told of then. */
export function watchPass(pass: PassPage | null, { span }: Caller): PassPage | null {
  if (pass === null || span === undefined) return pass;
  return (bytes) => {
    const step = span.begin();
    const passed = pass(bytes);
    if (passed !== null) step.end('read.check', { 'chartgate.count': passed.entries.length });
    return passed;
  };
}
