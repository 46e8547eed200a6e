import type { Dialect } from '../mappings/index.ts';
import type { Probed } from './probe-ehr.ts';
import type { Capability, TypeCapability } from './read-capability.ts';
import type { SearchBy } from './search-resources.ts';

/**
 * What makes a second write of the same thing the same thing. From the strongest to the weakest; with `ledger-only`
 * nothing at the EHR does, so a write of which the outcome is unknown waits for a person. `not-written`: the EHR takes
 * none of this type.
 */
export type Identity = 'put-by-id' | 'conditional-update' | 'search-then-write' | 'ledger-only' | 'not-written';

export interface TypePlan {
  readonly identity: Identity;
  /** Whether what was written can be changed, and so retracted. */
  readonly change: 'update' | 'none';
  readonly ifMatch: 'required' | 'supported' | 'none';
  readonly searchBy: SearchBy;
}

/** One choice, for people: `Observation.identity`, `put-by-id`, why. */
export interface Reason {
  readonly of: string;
  readonly chosen: string;
  readonly because: string;
}

export interface WritePlan {
  readonly bundle: 'transaction' | 'batch' | 'none';
  /** Whether entries of one Bundle may refer to each other. */
  readonly references: 'in-bundle' | 'by-address';
  readonly entriesMax: number;
  readonly bytesMax: number;
  /**
   * So long after a write of unknown outcome a search that does not find it proves nothing, unless searches were seen
   * to find at once.
   */
  readonly searchSettleMs: number;
  readonly answer: 'minimal' | 'representation';
  readonly update: 'direct' | 'after-a-look';
  readonly provenance: 'yes' | 'no';
  readonly createPatient: 'conditional' | 'no';
  /**
   * How it is seen that a patient who was looked up a while ago is still the one: by what is written, or by looking
   * again.
   */
  readonly patientCheck: 'in-transaction' | 'look-up';
  readonly types: Readonly<Record<string, TypePlan>>;
  readonly dialect: string;
  readonly reasons: readonly Reason[];
}

type Choice<T extends string> = readonly [chosen: T, because: string];

function chooseBundle({ transaction, batch }: Capability, { write, name }: Dialect): Choice<WritePlan['bundle']> {
  if (write.bundle !== 'auto') return [write.bundle, `the dialect ${name} says so`];
  if (transaction) return ['transaction', 'the CapabilityStatement offers it'];
  if (batch) return ['batch', 'the CapabilityStatement offers batch and no transaction'];
  return ['none', 'the CapabilityStatement offers neither transaction nor batch'];
}

const DISTRUST = {
  ignores: 'the EHR ignores the search parameter identifier',
  refuses: 'the EHR refuses a search by identifier alone',
  unsaid: 'the EHR does not say which parameters it used',
  unknown: 'a search by identifier could not be tried',
} as const;

/** Nothing that rests on a search is trusted before the search was seen to filter, whoever recommends it. */
function chooseIdentity(type: string, said: TypeCapability, { filters }: Probed, dialect: Dialect): Choice<Identity> {
  const { write, name } = dialect;
  const filter = filters[type]?.filter ?? 'unknown';
  const isTrusted = filter === 'filters';
  const distrust = filter === 'filters' ? '' : DISTRUST[filter];
  if (dialect.types !== null && !dialect.types.includes(type))
    return ['not-written', `the dialect ${name} does not take it`];
  if (!said.create && !(said.update && said.updateCreate))
    return ['not-written', 'the CapabilityStatement offers no way to create it'];
  switch (write.identity) {
    case 'put-by-id':
    case 'ledger-only':
      return [write.identity, `the dialect ${name} says so`];
    case 'conditional-update':
    case 'search-then-write':
      return isTrusted
        ? [write.identity, `the dialect ${name} says so, and the search was seen to filter`]
        : ['ledger-only', `the dialect ${name} says ${write.identity}, but ${distrust}`];
    case 'auto':
      break;
  }
  if (said.update && said.updateCreate) return ['put-by-id', 'the EHR takes ids of ours'];
  if (!isTrusted) return ['ledger-only', `${distrust}, and it takes no ids of ours`];
  if (said.update && said.conditionalUpdate)
    return ['conditional-update', 'the EHR updates by condition, and its search was seen to filter'];
  return ['search-then-write', 'the EHR offers no conditional update, and its search was seen to filter'];
}

function chooseIfMatch({ versioning }: TypeCapability, { write }: Dialect): TypePlan['ifMatch'] {
  if (write.ifMatch === 'required' || versioning === 'versioned-update') return 'required';
  return versioning === 'versioned' ? 'supported' : 'none';
}

function planType(type: string, said: TypeCapability, probed: Probed, dialect: Dialect): [TypePlan, Reason] {
  const [identity, because] = chooseIdentity(type, said, probed, dialect);
  return [
    {
      identity,
      change: said.update ? 'update' : 'none',
      ifMatch: chooseIfMatch(said, dialect),
      searchBy: probed.filters[type]?.by ?? 'post',
    },
    { of: `${type}.identity`, chosen: identity, because },
  ];
}

/**
 * Provenance has no identifier in R4, so outside a transaction only an id of ours keeps a repetition from doubling it.
 */
function chooseProvenance(
  bundle: WritePlan['bundle'],
  plan: TypePlan | undefined,
  dialect: Dialect,
): Choice<WritePlan['provenance']> {
  if (dialect.provenance === 'none') return ['no', `the dialect ${dialect.name} does not take it`];
  if (plan === undefined || plan.identity === 'not-written') return ['no', 'the EHR takes no Provenance'];
  if (plan.identity === 'put-by-id') return ['yes', 'it is written under an id of ours'];
  if (bundle === 'transaction') return ['yes', 'it is written inside a transaction'];
  return ['no', 'without a transaction or an id of ours a repetition would double it'];
}

function chooseCreatePatient({ capability, filters }: Probed): Choice<WritePlan['createPatient']> {
  const said = capability.types['Patient'];
  if (said?.create !== true || !said.conditionalCreate)
    return ['no', 'the EHR offers no conditional create of patients'];
  const filter = filters['Patient']?.filter ?? 'unknown';
  return filter === 'filters'
    ? ['conditional', 'the EHR creates by condition, and its search was seen to filter']
    : ['no', DISTRUST[filter]];
}

function choosePatientCheck(
  bundle: WritePlan['bundle'],
  { readsInTransaction }: Probed,
): Choice<WritePlan['patientCheck']> {
  if (bundle !== 'transaction') return ['look-up', 'nothing is written in transactions'];
  return readsInTransaction
    ? ['in-transaction', 'a transaction was seen to show what it reads']
    : ['look-up', 'a transaction was not seen to show what it reads'];
}

/** How to write to this EHR, and why so. Pure: shown by `explain` and by the admin API as it is. */
export function choosePlan(probed: Probed, dialect: Dialect): WritePlan {
  const { capability } = probed;
  const [bundle, bundleBecause] = chooseBundle(capability, dialect);
  const planned = Object.entries(capability.types).map(
    ([type, said]) => [type, ...planType(type, said, probed, dialect)] as const,
  );
  const types = Object.fromEntries(planned.map(([type, plan]) => [type, plan]));
  const [provenance, provenanceBecause] = chooseProvenance(bundle, types['Provenance'], dialect);
  const [createPatient, createBecause] = chooseCreatePatient(probed);
  const [patientCheck, checkBecause] = choosePatientCheck(bundle, probed);
  return {
    bundle,
    references: bundle === 'transaction' ? dialect.write.references : 'by-address',
    entriesMax: dialect.write.entriesMax,
    bytesMax: dialect.write.bytesMax,
    searchSettleMs: dialect.write.searchSettleMs,
    answer: dialect.write.answer,
    update: dialect.write.update,
    provenance,
    createPatient,
    patientCheck,
    types,
    dialect: dialect.name,
    reasons: [
      { of: 'bundle', chosen: bundle, because: bundleBecause },
      { of: 'provenance', chosen: provenance, because: provenanceBecause },
      { of: 'createPatient', chosen: createPatient, because: createBecause },
      { of: 'patientCheck', chosen: patientCheck, because: checkBecause },
      ...planned.map(([, , reason]) => reason),
    ],
  };
}
