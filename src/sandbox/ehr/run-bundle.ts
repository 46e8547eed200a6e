import { checkSize, parseStep, type Step } from './bundle-step.ts';
import { carryOut, isReply, type Kit } from './interactions.ts';
import { refuse, replyJson, type Reply } from './reply.ts';
import { intend, readEntry, runTransaction } from './transaction.ts';
import type { Resource } from './values.ts';

function bundleReply(type: 'transaction-response' | 'batch-response', entries: readonly string[]): Reply {
  const list = entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`;
  return replyJson(200, `{"resourceType":"Bundle","type":"${type}"${list}}`);
}

/** One entry of a batch: by itself, whatever becomes of the others. */
function runAlone(kit: Kit, step: Step | Reply, at: number): string {
  const isTold = kit.switches.failEntries?.includes(at) === true;
  if (!isReply(step) && step.method === 'GET' && !isTold) return readEntry(kit, step);
  const reply = isTold
    ? refuse(422, 'processing', 'This entry was told to fail')
    : isReply(step)
      ? step
      : carryOut(kit, intend(kit, step), step.entry.request ?? {});
  const { location, etag } = reply.headers;
  const response = {
    status: String(reply.status),
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined ? {} : { etag }),
  };
  const outcome = reply.status >= 400 ? `,"outcome":${reply.body}` : '';
  return `{"response":${JSON.stringify(response).slice(0, -1)}${outcome}}}`;
}

/** References between the entries of a batch are not resolved, as the standard says. */
const runBatch = (kit: Kit, steps: readonly (Step | Reply)[], answerAs: 'transaction-response' | 'batch-response'): Reply =>
  bundleReply(
    answerAs,
    steps.map((step, at) => runAlone(kit, step, at)),
  );

export function runBundle(kit: Kit, bundle: Resource): Reply {
  const { noTransactions, noBatch, silentBatch, failEntries } = kit.switches;
  const given = bundle['entry'] ?? [];
  if (!Array.isArray(given)) return refuse(400, 'structure', 'Bundle.entry must be a list');
  const parsed = given.map(parseStep);
  const steps = parsed.filter((step): step is Step => !isReply(step));
  const tooMany = checkSize(kit, steps);
  if (tooMany !== null) return tooMany;
  if (bundle['type'] === 'batch')
    return noBatch === true ? refuse(400, 'not-supported', 'Batches are not supported') : runBatch(kit, parsed, 'batch-response');
  if (bundle['type'] !== 'transaction') return refuse(400, 'invalid', 'Only a transaction or a batch can be posted here');
  if (noTransactions === true) return refuse(400, 'not-supported', 'Transactions are not supported');
  if (silentBatch === true) return runBatch(kit, parsed, 'transaction-response');
  const bad = parsed.find((step) => isReply(step));
  if (bad !== undefined) return bad;
  if (failEntries?.some((at) => at < steps.length) === true) return refuse(422, 'processing', 'An entry was told to fail');
  const entries = runTransaction(kit, steps);
  return isReply(entries) ? entries : bundleReply('transaction-response', entries);
}
