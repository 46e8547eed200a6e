import {
  fail,
  fault,
  MEMORY,
  ok,
  readBody,
  ROOM_WAIT_MS,
  withRoom,
  type Answer,
  type Ask,
  type Budget,
  type Result,
} from '../kernel/index.ts';
import {
  JSON_RULES,
  loadValidator,
  onOutermost,
  parseInChunks,
  type Issue,
  type JsonRule,
  type ProfileSet,
} from '../r4/index.ts';
import type { Caller } from './caller.ts';
import { decideValidate } from './decide.ts';
import { deletionOutcome, describeFindings } from './describe-findings.ts';
import { describeMissing, findProfile, isBaseOf } from './find-profile.ts';
import { refuse, type Handle } from './front.ts';
import { FHIR_JSON } from './negotiate.ts';
import { parseSubmission, parseValidateQuery, type Submission, type ValidateAsked } from './parse-validate.ts';
import type { RecordRead } from './record-read.ts';
import type { Json } from './whose.ts';

/** The guides that are loaded at this moment; null: none. */
export type LoadedProfiles = () => { readonly profiles: ProfileSet | null };

const JSON_BODY = /^application\/(fhir\+json|json|json\+fhir)\s*(;\s*(charset="?utf-8"?|fhirVersion=4\.0)\s*)*;?$/i;
/**
 * A resource is judged in the thread that serves everybody, since the compiled profiles cannot go to another. What that
 * costs goes by its values more than by its bytes: at these limits the worst resource that was tried, under profiles of
 * US Core 6.1, held it for 31 ms. An attachment is one value; a resource of 100 kB without one has about 12,000.
 */
export const VALIDATE_BYTES_MAX = 512 * 1024;
const JSON_MAX = { bytesMax: VALIDATE_BYTES_MAX, tokensMax: 12_000, keysMax: 2_000 } as const;
const TOO_COSTLY: readonly string[] = ['json-size', 'json-tokens', 'json-keys'] satisfies readonly JsonRule[];

/** Runs what it is given one after another. */
function makeInTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** `[type]/$validate`: http://hl7.org/fhir/R4/resource-operation-validate.html */
export function makeAnswerValidate(deps: {
  readonly isOffered: (type: string) => boolean;
  readonly current: LoadedProfiles;
  readonly budget: Budget;
  readonly record: RecordRead;
}): { readonly post: Handle } {
  const { isOffered, current, budget, record } = deps;
  const inTurn = makeInTurn();
  // What this loads stays loaded, so that no request waits for it.
  loadValidator();

  function judge(resource: Json, profile: string | null, set: ProfileSet | null): Promise<readonly Issue[]> {
    const imposed = profile === null || findProfile(profile, set) === undefined ? [] : [profile];
    const guides = set === null ? {} : { guides: { profiles: set, imposed: onOutermost(imposed) } };
    return loadValidator({ warnings: 'report', ...guides }).validateInChunks(resource);
  }

  async function outcomeOf(type: string, submission: Submission): Promise<Result<object>> {
    const { resource, profile } = submission;
    if (resource === null) return ok(deletionOutcome());
    const set = current().profiles;
    if (profile !== null && !isBaseOf(profile, type) && findProfile(profile, set) === undefined)
      return fail(fault('read.profile', { at: 'profile', problems: [describeMissing(profile, type, set)] }));
    return ok(describeFindings({ ...submission, resource }, await judge(resource, profile, set), set));
  }

  async function read({ request }: Ask, type: string, asked: ValidateAsked): Promise<Result<Submission>> {
    const { headers } = request;
    const bytes = await readBody(request, VALIDATE_BYTES_MAX);
    if (!bytes.ok) return bytes;
    if (bytes.value.length === 0) return parseSubmission(type, null, asked);
    if (!JSON_BODY.test(headers['content-type'] ?? '')) return fail(fault('read.media'));
    const parsed = await parseInChunks(bytes.value, JSON_MAX);
    if (parsed.ok) return parseSubmission(type, parsed.value.value, asked);
    const { rule, line, column } = parsed.fault;
    const problems = [`${rule}: ${JSON_RULES[rule]} (line ${line}, column ${column})`];
    return fail(fault(TOO_COSTLY.includes(rule) ? 'http.too-large' : 'read.body', { problems }));
  }

  async function answer(ask: Ask, type: string, asked: ValidateAsked, caller: Caller): Promise<Result<Answer>> {
    const bytes = Math.min(Number(ask.request.headers['content-length'] ?? VALIDATE_BYTES_MAX), VALIDATE_BYTES_MAX);
    const outcome = await withRoom(budget, bytes * MEMORY.cost.document, ROOM_WAIT_MS, async () => {
      const submission = await read(ask, type, asked);
      if (!submission.ok) return submission;
      return inTurn(() =>
        caller.signal?.aborted === true
          ? Promise.resolve(fail(fault('http.cut-short')))
          : outcomeOf(type, submission.value),
      );
    });
    if (outcome === null) return fail(fault('read.busy'));
    if (!outcome.ok) return outcome;
    const kept = await record(
      { type: 'fhir.validate', interaction: 'operation', resourceType: type, outcome: '0' },
      caller,
    );
    if (!kept.ok) return kept;
    return ok({ status: 200, headers: { 'Content-Type': FHIR_JSON }, body: JSON.stringify(outcome.value) });
  }

  return {
    post: (ask, { segments: [type = ''], query }, caller) => {
      if (!isOffered(type)) return Promise.resolve(fail(fault('read.not-found')));
      const because = decideValidate(caller.grant, type);
      if (because !== null) return refuse(because, { interaction: 'operation', type }, record, caller);
      const asked = parseValidateQuery(query);
      return asked.ok ? answer(ask, type, asked.value, caller) : Promise.resolve(asked);
    },
  };
}
