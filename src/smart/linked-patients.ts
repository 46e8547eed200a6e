import type { IdentityReads, IdentityWrites } from '../identity/index.ts';
import { isObject, ok, type Clock, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Asking } from './caller.ts';
import type { Json } from './whose.ts';

/** Which patients a token that is not bound to one may see. */
export interface LinkedPatients {
  /** Whether the patient of this id at the EHR has a confirmed link. One that is not there has none. */
  isLinked(id: string, asking: Asking): Promise<Result<boolean>>;
  /** By which MRNs the patient of this id is known; none for one without a confirmed link, or who is not there. */
  mrnsOf(id: string, asking: Asking): Promise<Result<readonly string[]>>;
  /** The same for a Patient that is in hand. */
  isLinkedPatient(patient: Json): Promise<Result<boolean>>;
}

const REMEMBERED = { entriesMax: 2_000, keepMs: 60_000 } as const;

/** A Patient's identifiers in the MRN system. Those with the use `old` are ignored. */
export function mrnsOf(patient: Json, mrnSystem: string): string[] {
  const identifiers = Array.isArray(patient['identifier']) ? (patient['identifier'] as unknown[]).filter(isObject) : [];
  return identifiers.flatMap(({ system, value, use }) =>
    system === mrnSystem && use !== 'old' && typeof value === 'string' && value !== '' ? [value] : [],
  );
}

/**
 * Remembers for a minute which MRN a patient has; the link itself is looked up each time, so that a revoked one ends at
 * once. The EHR is spared for linked patients alone: a no always costs one question, whether the patient was asked
 * about before, is unknown or is not there, so that the time it takes tells nothing.
 */
export function keepLinkedPatients(deps: {
  readonly mode: 'linked' | 'all';
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly reader: EhrReader;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly clock: Clock;
}): LinkedPatients {
  const { mode, tenant, mrnSystem, reader, identity, clock } = deps;
  const kept = new Map<string, { readonly mrns: readonly string[]; readonly untilMs: number }>();

  function remember(id: string, mrns: readonly string[]): void {
    // A Map keeps its order: the first is the oldest.
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= REMEMBERED.entriesMax) kept.delete(oldest);
    kept.set(id, { mrns, untilMs: clock.monotonicMs() + REMEMBERED.keepMs });
  }

  function remembered(id: string): readonly string[] {
    const known = kept.get(id);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.mrns;
    kept.delete(id);
    return [];
  }

  async function mrnsById(id: string, asking: Asking): Promise<Result<readonly string[]>> {
    const read = await reader.read(`Patient/${id}`, 'Patient', id, asking);
    if (!read.ok) return read;
    return ok(read.value === null ? [] : mrnsOf(read.value.resource, mrnSystem));
  }

  const anyLinked = (mrns: readonly string[]): Promise<Result<boolean>> =>
    mrns.length === 0
      ? Promise.resolve(ok(false))
      : identity.readKept('identity.is-linked', { tenant, patients: mrns.map((mrn) => ({ mrnSystem, mrn })) });

  return {
    async isLinked(id, asking) {
      if (mode === 'all') return ok(true);
      const known = remembered(id);
      if (known.length > 0) {
        const isStill = await anyLinked(known);
        if (!isStill.ok || isStill.value) return isStill;
      }
      const mrns = await mrnsById(id, asking);
      if (!mrns.ok) return mrns;
      const linked = await anyLinked(mrns.value);
      if (linked.ok && linked.value) remember(id, mrns.value);
      return linked;
    },
    async mrnsOf(id, asking) {
      const mrns = await mrnsById(id, asking);
      if (!mrns.ok || mode === 'all') return mrns;
      const linked = await anyLinked(mrns.value);
      return linked.ok ? ok(linked.value ? mrns.value : []) : linked;
    },
    isLinkedPatient: (patient) => (mode === 'all' ? Promise.resolve(ok(true)) : anyLinked(mrnsOf(patient, mrnSystem))),
  };
}
