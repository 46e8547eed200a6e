import { parseResourceScope } from './scope.ts';

const ACCESS: Readonly<Record<string, string>> = {
  patient: 'of this patient',
  user: 'that you may see',
  system: 'of everybody',
};

/** What a scope over resources allows, in plain words. */
export function sentenceOf(text: string): string {
  const scope = parseResourceScope(text);
  if (scope === null) return text;
  if (scope.type === 'Subscription') return `Be told of changes ${ACCESS[scope.level] ?? ''}`.trim();
  const verb = scope.letters.has('r') ? (scope.letters.has('s') ? 'Read and search' : 'Read') : 'Search';
  const what = scope.type === '*' ? 'all records' : `${scope.type} records`;
  const part = scope.filter.map(([name, value]) => `${name} ${value.split('|').at(-1) ?? value}`).join(', ');
  return `${verb} ${what} ${ACCESS[scope.level] ?? ''}${part === '' ? '' : ` (${part})`}`;
}

/** Words that make access last, which a person allows like a scope. */
export const LONG_ACCESS: Readonly<Record<string, string>> = {
  offline_access: 'Keep access when you are not there, until you or the operator end it',
  online_access: 'Renew access while you are signed in',
};
export const isLongAccess = (word: string): boolean => word in LONG_ACCESS;
