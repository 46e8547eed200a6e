import type { AnswerOf, ContractOf } from '../admin/index.ts';
import type { AdminApi } from './admin-api.ts';
import type { Terminal } from './command.ts';
import { reportAnswer } from './report-answer.ts';
import { moreLine, rowsText } from './targets-report.ts';

/** What the verbs of `links` that change nothing are told. */
export interface LinksQuestion {
  readonly verb: 'list' | 'history' | 'preview';
  /** The user of `history`, the MRN of `preview`. */
  readonly whom: string;
  readonly status: string | undefined;
  readonly user: string | undefined;
  readonly client: string | undefined;
  readonly mrn: string | undefined;
  readonly reason: string | undefined;
  readonly limit: string | undefined;
  readonly cursor: string | undefined;
}

const tellList = ({ links, next }: AnswerOf<ContractOf<'links.list'>>): string =>
  links
    .map(({ changedAt, status, userId, mrn, actor, isWithheld }) => {
      const whose = isWithheld ? 'withheld (restricted)' : `${userId ?? ''}  ${mrn ?? ''}`;
      return `${changedAt}  ${status}  ${whose}  by ${actor}\n`;
    })
    .join('') + moreLine(next);

const tellHistory = ({ changes }: AnswerOf<ContractOf<'links.history'>>): string =>
  changes
    .map(({ at, from, to, mrn, by, roles, why }) => {
      const who = roles.length === 0 ? by : `${by} (${roles.join(', ')})`;
      return `${at}  ${from === null ? '' : `${from} -> `}${to}  ${mrn}  by ${who}${why === null ? '' : `  ${why}`}\n`;
    })
    .join('');

const tellPreview = ({ found, patient, linkedUsers }: AnswerOf<ContractOf<'links.preview'>>): string =>
  rowsText([
    ['found', found],
    ...(patient === null
      ? []
      : ([
          ['name', patient.name ?? 'none'],
          ['birth date', patient.birthDate ?? 'none'],
          ['gender', patient.gender ?? 'none'],
          ['deceased', patient.isDeceased ? 'yes' : 'no'],
          ['merged', patient.isMerged ? 'yes' : 'no'],
        ] as const)),
    ['linked users', String(linkedUsers)],
  ]);

export async function lookAtLinks(
  api: AdminApi,
  terminal: Terminal,
  form: 'json' | 'text',
  { verb, whom, status, user, client, mrn, reason, limit, cursor }: LinksQuestion,
): Promise<number> {
  const why = reason === undefined ? {} : { reason };
  switch (verb) {
    case 'list': {
      // What is not taken, the gateway refuses with what would be.
      const filter = { status: status as 'confirmed' | undefined, user_id: user, client_uuid: client, mrn };
      const reply = await api.call('links.list', { query: { ...filter, limit, cursor }, ...why });
      return reportAnswer(reply, terminal, form, tellList);
    }
    case 'history': {
      const reply = await api.call('links.history', {
        params: { user_id: whom },
        query: { client_uuid: client },
        ...why,
      });
      return reportAnswer(reply, terminal, form, tellHistory);
    }
    case 'preview':
      return reportAnswer(
        await api.call('links.preview', { params: { mrn: whom }, ...why }),
        terminal,
        form,
        tellPreview,
      );
  }
}
