import { fail, fault, ok, type Answer, type Result } from '../kernel/index.ts';
import { bundleAnswer, toEntry } from './answer-search.ts';
import type { Caller } from './caller.ts';
import { decideWatched } from './decide-watched.ts';
import { refuse, type Handle } from './front.ts';
import { parseEverything, type Everything } from './parse-everything.ts';
import { isId } from './read-request.ts';
import type { RecordRead } from './record-read.ts';
import type { RewriteAddresses } from './rewrite-addresses.ts';
import type { EverythingPlace, RunEverything } from './run-everything.ts';
import type { RunRead } from './run-read.ts';
import type { Continuation, Cursors } from './seal-cursor.ts';
import type { Served } from './served-types.ts';

const WHOLE = { elements: null, summary: 'false' } as const;

const selfOf = ({ id, used }: Everything): string => {
  const query = new URLSearchParams(used.map(([name, value]): [string, string] => [name, value])).toString();
  return `Patient/${id}/$everything${query === '' ? '' : `?${query}`}`;
};

/** `Patient/[id]/$everything`: https://hl7.org/fhir/R4/operation-patient-everything.html */
export function makeAnswerEverything(deps: {
  readonly served: Served;
  /** Whether `_type` may name it, as far as the EHR is known. */
  readonly isServed: (type: string) => boolean;
  readonly ownBase: string;
  readonly runRead: RunRead;
  readonly run: RunEverything;
  readonly record: RecordRead;
  readonly rewrite: RewriteAddresses;
  readonly cursors: Cursors;
}) {
  const { served, ownBase, runRead, run, record, rewrite, cursors } = deps;

  async function answer(asked: Everything, from: EverythingPlace | null, caller: Caller): Promise<Result<Answer>> {
    const { id } = asked;
    const of = { interaction: 'operation', type: 'Patient', id } as const;
    const whole = { versionId: null, ...WHOLE, count: null, since: null, used: [] } as const;
    const decision = decideWatched(caller, { kind: 'read', type: 'Patient', id, ...whole } as const, served);
    if (!decision.allow) return refuse(decision.because, of, record, caller);
    // Known from the token alone, so before anything is asked of the EHR.
    const beyond = [...(asked.types ?? [])].filter((type) => !run.mayHave(caller.grant, type));
    if (beyond.length > 0)
      return refuse('scope', of, record, caller, {
        at: '_type',
        problems: [`_type: ${beyond.join(', ')}: the scopes of the token do not cover it`],
      });
    // On every page: what may be seen of a patient may have changed since the last one.
    const patient = await runRead.one(decision.plan, caller);
    const query = asked.used.length === 0 ? {} : { query: selfOf(asked) };
    const act = {
      type: 'fhir.search',
      interaction: 'operation',
      resourceType: 'Patient',
      id,
      patients: [id],
      ...query,
    } as const;
    if (!patient.ok) {
      const kept = await record({ ...act, type: 'fhir.read', outcome: '4', why: patient.fault.why }, caller);
      return kept.ok ? fail(patient.fault.fault) : kept;
    }
    const found = await run.page(asked, patient.value.read.resource, from, caller);
    if (!found.ok) {
      const kept = await record({ ...act, outcome: '8', why: found.fault.code }, caller);
      return kept.ok ? found : kept;
    }
    const { entries, rest } = found.value;
    const kept = await record({ ...act, outcome: '0', count: entries.length }, caller);
    if (!kept.ok) return kept;
    const cursor =
      rest === null ? null : cursors.seal({ kind: 'everything', id, params: asked.used, place: rest }, caller.grant);
    const matches = entries.filter(({ mode }) => mode === 'match').length;
    // Of what comes along with records that were not asked for there is nothing that a total could count.
    const isTotal = from === null && rest === null && (matches > 0 || entries.length === 0);
    return ok(
      bundleAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(isTotal ? { total: matches } : {}),
        link: [
          { relation: 'self', url: `${ownBase}/${selfOf(asked)}` },
          ...(cursor === null ? [] : [{ relation: 'next', url: `${ownBase}/Patient?_cursor=${cursor}` }]),
        ],
        ...(entries.length === 0 ? {} : { entry: rewrite(entries).map((entry) => toEntry(entry, ownBase, WHOLE)) }),
      }),
    );
  }

  const get: Handle = (_ask, { segments: [, id = ''], query }, caller) => {
    if (!isId(id)) return Promise.resolve(fail(fault('read.not-found')));
    const asked = parseEverything(id, query, deps.isServed);
    return asked.ok ? answer(asked.value, null, caller) : Promise.resolve(asked);
  };

  return {
    get,
    goOn(of: Extract<Continuation, { kind: 'everything' }>, caller: Caller): Promise<Result<Answer>> {
      const asked = parseEverything(of.id, of.params, deps.isServed);
      // The EHR may have stopped to offer a type since.
      return asked.ok ? answer(asked.value, of.place, caller) : Promise.resolve(fail(fault('read.cursor')));
    },
  };
}
