import { checkConditions, checkSize, parseStep, type Step } from './bundle-step.ts';
import { carryOut, type Given, type Kit } from './interactions.ts';
import { isReply, refuse, replyJson, type Reply } from './reply.ts';
import { intend, intendAhead, readEntry, representation, runTransaction } from './transaction.ts';
import type { Resource } from './values.ts';

function bundleReply(type: 'transaction-response' | 'batch-response', entries: readonly string[]): Reply {
  const list = entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`;
  return replyJson(200, `{"resourceType":"Bundle","type":"${type}"${list}}`);
}

/** One entry of a batch: by itself, whatever becomes of the others. */
function runAlone(kit: Kit, step: Step | Reply, at: number, given: Given, intendOne: typeof intend): string {
  const isTold = kit.switches.failEntries?.includes(at) === true;
  if (!isReply(step) && step.method === 'GET' && !isTold) return readEntry(kit, step);
  const reply = isTold
    ? refuse(422, 'processing', 'This entry was told to fail')
    : isReply(step)
      ? step
      : carryOut(kit, intendOne(kit, step), step.entry.request ?? {});
  const { location, etag } = reply.headers;
  const response = {
    status: String(reply.status),
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined || kit.switches.bareEntries === true ? {} : { etag }),
  };
  const outcome = reply.status >= 400 ? `,"outcome":${reply.body}` : '';
  const shown = reply.status >= 400 ? '' : representation(reply.body, given);
  return `{${shown}"response":${JSON.stringify(response).slice(0, -1)}${outcome}}}`;
}

/** `given`: the headers of the whole request, of which `Prefer` holds for every entry. */
export function runBundle(kit: Kit, bundle: Resource, given: Given): Reply {
  const reply = runWhole(kit, bundle, given);
  const isEmptied = kit.switches.emptyMinimal === true && given.prefer?.includes('return=minimal') === true;
  return isEmptied ? { ...reply, body: '' } : reply;
}

function runWhole(kit: Kit, bundle: Resource, given: Given): Reply {
  const { noTransactions, noBatch, silentBatch, transactionAsBatch, failEntries } = kit.switches;
  const listed = bundle['entry'] ?? [];
  if (!Array.isArray(listed)) return refuse(400, 'structure', 'Bundle.entry must be a list');
  const parsed = listed.map(parseStep);
  // References between the entries of a batch are not resolved, as the standard says.
  const runBatch = (answerAs: 'transaction-response' | 'batch-response', intendOne = intend): Reply =>
    bundleReply(
      answerAs,
      parsed.map((step, at) => runAlone(kit, step, at, given, intendOne)),
    );
  const steps = parsed.filter((step): step is Step => !isReply(step));
  const tooMany = checkSize(kit, steps);
  if (tooMany !== null) return tooMany;
  if (bundle['type'] === 'batch')
    return noBatch === true ? refuse(400, 'not-supported', 'Batches are not supported') : runBatch('batch-response');
  if (bundle['type'] !== 'transaction')
    return refuse(400, 'invalid', 'Only a transaction or a batch can be posted here');
  if (noTransactions === true) return refuse(400, 'not-supported', 'Transactions are not supported');
  if (silentBatch === true) return runBatch('transaction-response');
  if (transactionAsBatch === true) return runBatch('batch-response', intendAhead(kit, steps));
  const bad = parsed.find((step) => isReply(step));
  if (bad !== undefined) return bad;
  if (failEntries?.some((at) => at < steps.length) === true)
    return refuse(422, 'processing', 'An entry was told to fail');
  const crowded = checkConditions(kit, steps);
  if (crowded !== null) return crowded;
  const entries = runTransaction(kit, steps, given);
  return isReply(entries) ? entries : bundleReply('transaction-response', entries);
}
