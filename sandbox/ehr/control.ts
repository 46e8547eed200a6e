import { refuse, replyJson, type Reply } from './reply.ts';
import type { Rule, SwitchBoard, Switches } from './switches.ts';
import type { WriteLog } from './write-log.ts';

/** `/_control`: sets the switches and reads the logs over HTTP, for tests that run in another process. */
export function control(
  board: SwitchBoard,
  log: WriteLog,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Reply {
  const json = (value: unknown): Reply => replyJson(200, JSON.stringify(value), { 'content-type': 'application/json' });
  if (path === '/_control/traits') {
    if (method === 'PUT') board.setTraits(body as Switches);
    if (method === 'DELETE') board.setTraits({});
    return json(board.traits());
  }
  if (path === '/_control/rules') {
    if (method === 'PUT' && !Array.isArray(body)) return refuse(400, 'invalid', 'A list of rules is needed');
    if (method === 'PUT') board.setRules(body as Rule[]);
    if (method === 'DELETE') board.setRules([]);
    return json(board.rules());
  }
  if (path === '/_control/writes') return json(log.writes(Number(query.get('after') ?? 0)));
  if (path === '/_control/requests') return json(log.requests());
  return refuse(404, 'not-found', 'There is no such control');
}
