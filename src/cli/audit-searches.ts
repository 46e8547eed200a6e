import type { AnswerOf, ContractOf } from '../admin/index.ts';
import { makeAdminApi } from './admin-api.ts';
import { queryOf, urlOf, type Given } from './audit-filters.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';

const tell = ({ searches }: AnswerOf<ContractOf<'audit.searches'>>): string =>
  searches
    .map(({ id, name, search }) => {
      const options = Object.entries(search).map(([option, value]) => `--${option} ${value}`);
      return `${[id, name, options.join(' ')].join('  ')}\n`;
    })
    .join('') || 'no saved searches\n';

/** The searches that the caller keeps: all of them, one more, one less. */
export async function changeSearches(
  given: Given,
  words: readonly string[],
  terminal: Terminal,
  usage: (wrong: string) => number,
): Promise<number> {
  const [verb, what, ...more] = words;
  const form = given['json'] === true ? 'json' : 'text';
  const isSound = verb === undefined || (['save', 'remove'].includes(verb) && what !== undefined && more.length === 0);
  if (!isSound) return usage('Say: audit searches, audit searches save NAME, or audit searches remove ID.');
  const api = makeAdminApi(urlOf(given), terminal.env);
  if (verb === undefined) return reportAnswer(await api.call('audit.searches'), terminal, form, tell);
  if (verb === 'remove')
    return reportAnswer(
      await api.call('audit.removeSearch', { params: { id: what ?? '' } }),
      terminal,
      form,
      () => 'removed\n',
    );
  const { limit: _limit, cursor: _cursor, ...search } = queryOf(given);
  const body = { name: what ?? '', search };
  return reportAnswer(await api.call('audit.saveSearch', { body }), terminal, form, ({ id }) => `${id}\n`);
}
