import { fail, fault, ok, type Result, type Span } from '../kernel/index.ts';
import { identifierToken } from './escape-search-value.ts';
import type { AbandonSignal } from './exchange.ts';
import { readResource } from './fhir-client.ts';
import type { Ehr } from './open-ehr.ts';
import { idOf, judgePatient, pickPatient, type Picked } from './pick-patient.ts';
import { searchResources, type Found, type Resource, type SearchBy } from './search-resources.ts';

/** A patient by the number that people know. */
export interface Mrn {
  readonly mrnSystem: string;
  readonly mrn: string;
}

export interface AskedPatient extends Mrn {
  readonly requestId: string;
  readonly traceId?: string;
  readonly span?: Span;
  readonly signal?: AbandonSignal;
}

export interface ResolvedPatient {
  /** `Patient/id` at this EHR, active at this moment. */
  readonly reference: string;
  /** The merged patients on the way there, the one with the MRN first; empty where none was merged. */
  readonly via: readonly string[];
  /** It was looked up a while ago. */
  readonly isRemembered?: true;
}

export type ResolvePatient = (asked: AskedPatient) => Promise<Result<ResolvedPatient>>;

const MERGES_MAX = 5;

/** On whose behalf the EHR is asked. */
const askedBy = ({ requestId, traceId, span, signal }: AskedPatient) => ({
  requestId,
  ...(traceId === undefined ? {} : { traceId }),
  ...(span === undefined ? {} : { span }),
  ...(signal === undefined ? {} : { signal }),
});

/** Only what we know: an identifier, and that it is a medical record number. */
const minimalPatient = ({ mrnSystem, mrn }: Mrn): string =>
  JSON.stringify({
    resourceType: 'Patient',
    identifier: [
      {
        type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
        system: mrnSystem,
        value: mrn,
      },
    ],
  });

/**
 * Asks the EHR who has an MRN. In mode `lookup` nothing is ever written; in mode `create` a patient that is not there
 * is created by condition, so that two of us cannot both do it, and then looked up like any other.
 */
export function makeResolvePatient(deps: {
  readonly ehr: Ehr;
  readonly mode: 'lookup' | 'create';
  /** `unknown` before a probe: POST is tried, then GET. */
  readonly searchBy: () => SearchBy | 'unknown';
  /** What the plan says of creating patients by condition. */
  readonly mayCreate: () => 'conditional' | 'no';
}): ResolvePatient {
  const { ehr } = deps;

  async function search(asked: AskedPatient): Promise<Result<Found>> {
    const by = deps.searchBy();
    const params = [['identifier', identifierToken(asked.mrnSystem, asked.mrn)]] as const;
    const ask = (way: SearchBy): Promise<Result<Found>> =>
      searchResources(ehr, { type: 'Patient', params, by: way, ...askedBy(asked) });
    if (by !== 'unknown') return ask(by);
    const posted = await ask('post');
    const isRefused = !posted.ok && ['ehr.rejected', 'ehr.not-found'].includes(posted.fault.code);
    return isRefused ? ask('get') : posted;
  }

  async function readPatient(id: string, asked: AskedPatient): Promise<Result<Resource>> {
    const answer = await readResource(ehr, 'Patient', id, askedBy(asked));
    // A survivor that is not there is a broken chain, not an outage.
    if (!answer.ok)
      return ['ehr.not-found', 'ehr.gone', 'ehr.foreign-address'].includes(answer.fault.code)
        ? fail(fault('patient.merged'))
        : answer;
    const { body } = answer.value;
    const resource = body.kind === 'json' ? (body.value as Resource) : null;
    if (resource?.resourceType !== 'Patient' || idOf(resource) !== id) return fail(fault('patient.unverified'));
    return ok(resource);
  }

  /** Along the merges to the one who stands at their end. */
  async function follow(picked: Picked, asked: AskedPatient): Promise<Result<ResolvedPatient>> {
    const via: string[] = [];
    let at = picked;
    while (at.kind === 'follow') {
      via.push(`Patient/${at.via}`);
      if (via.length > MERGES_MAX || via.includes(`Patient/${at.id}`)) return fail(fault('patient.merged'));
      const next = await readPatient(at.id, asked);
      if (!next.ok) return next;
      at = judgePatient(next.value, ehr.guard);
    }
    return at.kind === 'one' ? ok({ reference: `Patient/${at.id}`, via }) : fail(fault(at.code));
  }

  async function lookUp(asked: AskedPatient): Promise<Result<ResolvedPatient>> {
    const found = await search(asked);
    if (!found.ok) return found;
    return follow(pickPatient(found.value, asked.mrnSystem, asked.mrn, ehr.guard), asked);
  }

  async function create(asked: AskedPatient): Promise<Result<ResolvedPatient>> {
    if (deps.mayCreate() === 'no') return fail(fault('patient.not-created'));
    const { verdict } = await ehr.send({
      method: 'POST',
      path: 'Patient',
      body: minimalPatient(asked),
      ifNoneExist: `identifier=${encodeURIComponent(identifierToken(asked.mrnSystem, asked.mrn))}`,
      prefer: 'return=minimal',
      ...askedBy(asked),
    });
    switch (verdict.kind) {
      case 'ok':
      // Whether it was done is seen by looking.
      case 'ambiguous':
      case 'several': {
        const resolved = await lookUp(asked);
        return !resolved.ok && resolved.fault.code === 'patient.none' ? fail(fault('patient.not-created')) : resolved;
      }
      case 'retry-later':
      case 'auth':
      case 'conflict':
      case 'misconfigured':
      case 'abandoned':
        return fail(verdict.fault);
      case 'rejected':
      case 'absent':
      case 'gone':
      case 'too-large':
        return fail(fault('patient.not-created', { cause: verdict.fault.cause }));
    }
  }

  return async (asked) => {
    const resolved = await lookUp(asked);
    return !resolved.ok && resolved.fault.code === 'patient.none' && deps.mode === 'create' ? create(asked) : resolved;
  };
}
