import { makeAdminApi } from './admin-api.ts';
import { makeUsage, type Command } from './command.ts';
import { addNote, assign, decideOn, discardOne, replayOne } from './deliveries-act.ts';
import { showGroups } from './deliveries-groups.ts';
import { parseOptions } from './parse-options.ts';

export const workHelp = `Usage: chartgate deliveries groups [--url URL] [--json]
       chartgate deliveries replay ID [--url URL] [--json]
       chartgate deliveries decide ID keep-theirs|overwrite|approve [--reason TEXT] [--url URL] [--json]
       chartgate deliveries discard ID --reason TEXT [--url URL] [--json]
       chartgate deliveries note ID TEXT [--url URL] [--json]
       chartgate deliveries assign ID OPERATOR|--nobody [--url URL] [--json]

Deliveries of a running gateway that wait for a person. For many at once there is "chartgate jobs". The operator's token
or an API key is taken from CHARTGATE_ADMIN_TOKEN.

  groups         what waits, by state, reason and fault, with examples
  replay         judge one again from its stored bytes; nothing is approved by it
  decide         on one that is parked as conflict: keep theirs, or overwrite; on one that is parked as suspicious,
                 ambiguous or identity: approve the plan. Needs the permission plans.decide
  discard        give one up, with a reason
  note           write down what others should know; it is sealed, and goes when the patient is erased
  assign         say who looks after it, by the name of the operator

  --reason TEXT  why, in 3 to 200 characters, with nothing of a patient
  --nobody       nobody looks after it any more
  --url URL      where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --json         the gateway's answer as one line of JSON

Exit code: 0 done · 1 refused · 2 wrong arguments · 69 no gateway there
`;

const OPTIONS = {
  reason: { type: 'string' },
  nobody: { type: 'boolean' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** How many words follow each verb, and what they are. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  groups: [],
  replay: ['an id'],
  decide: ['an id', 'a decision'],
  discard: ['an id'],
  note: ['an id', 'a text'],
  assign: ['an id', 'an operator'],
};
export const WORK_VERBS = Object.keys(WORDS);

export const workOnDeliveries: Command['run'] = async (args, terminal) => {
  const usage = makeUsage(terminal, workHelp);
  const parsed = parseOptions(args, OPTIONS, 'some');
  if (!parsed.ok) return usage(parsed.wrong);
  const { reason, nobody, url, json } = parsed.value.values;
  const [verb = '', ...given] = parsed.value.positionals;
  const words = WORDS[verb];
  if (words === undefined) return usage(`Say one of ${WORK_VERBS.join(', ')}.`);
  const wanted = verb === 'assign' && nobody === true ? words.slice(0, 1) : words;
  if (given.length !== wanted.length) return usage(`${verb} takes ${wanted.join(' and ') || 'no id'}.`);
  if (verb === 'discard' && reason === undefined) return usage('discard needs --reason.');
  if (reason !== undefined && verb !== 'discard' && verb !== 'decide')
    return usage('Only discard and decide take --reason.');
  if (nobody === true && verb !== 'assign') return usage('Only assign takes --nobody.');
  const [id = '', word = ''] = given;
  const form = json === true ? 'json' : 'text';
  const api = makeAdminApi(url, terminal.env);
  switch (verb) {
    case 'groups':
      return showGroups(api, terminal, form);
    case 'replay':
      return replayOne(api, terminal, form, id);
    case 'decide':
      return decideOn(api, terminal, form, id, word, reason);
    case 'discard':
      return discardOne(api, terminal, form, id, reason ?? '');
    case 'note':
      return addNote(api, terminal, form, id, word);
    default:
      return assign(api, terminal, form, id, nobody === true ? null : word);
  }
};
