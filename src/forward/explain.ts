import { parseLossless, type Issue } from '../r4/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { AnyResource, Envelope } from '../payloads/index.ts';
import {
  imposedProfiles,
  translate,
  type Decision,
  type DeliveryFacts,
  type LeftOut,
  type LinkedPatient,
  type TranslationFinding,
} from '../translate/index.ts';
import type { State } from '../inbox/index.ts';
import {
  checkIncoming,
  checkOutput,
  type ChosenDialect,
  type Faults,
  fhirOf,
  readDocument,
  saidAtOf,
  templateOf,
  troubleOfOutput,
  type TranslationContext,
  validatorsOf,
} from '../judge/index.ts';
import type { ChartContent, SeenChange, LedgerQuestion } from '../lanes/index.ts';
import { decideChanges, ledgerQuestionOf, type Change, type WrittenResource } from './decide-changes.ts';
import { findingOf, findingsByName, type ProfileFinding } from './profile-findings.ts';

/** One resource, and what would be done with it. */
export interface ExplainedResource {
  /** `conflict`: a person keeps what somebody else made of it, and the document says something else now. */
  readonly change: Change['kind'] | 'conflict';
  readonly name: string;
  readonly resourceType: string;
  readonly group: string;
  readonly chartDay: string | null;
  /** Null for what would be withdrawn: it stands at the EHR. */
  readonly resource: AnyResource | null;
  /**
   * What stands in the chart of what would be withdrawn, as it was read when the delivery was parked; null where nobody
   * has looked.
   */
  readonly chart: ChartContent | null;
  /** The profiles that the dialect asks of it. */
  readonly profiles: readonly string[];
  /** What it misses of them, of a profile that it claims, or of the definition of an extension. */
  readonly profileFindings: readonly ProfileFinding[];
}

/** The state of a stored delivery. `detail` says of its fault what a person can do. */
export interface Standing {
  readonly state: State;
  readonly reason: string | null;
  readonly faultCode: string | null;
  readonly detail: string | null;
}

/** What would be written for a document and why. Nothing of it was sent. */
export interface Explanation {
  readonly dataStructure: string;
  readonly documentVersion: number;
  /** Null where the source user has no confirmed link; names are then those of nobody. */
  readonly link: LinkedPatient | null;
  readonly mappings: string;
  /**
   * What it was translated by, and why by that; before the EHR has said what it is, this may not be what it will be
   * written in.
   */
  readonly dialect: string;
  readonly dialectBecause: ChosenDialect['because'];
  /** Where the delivery stands, and why; null for a file. */
  readonly delivery: Standing | null;
  /** The template of the site that read it, where one did. */
  readonly template: string | null;
  /** Why a person must look before anything is sent. */
  readonly trouble: string | null;
  readonly patient: AnyResource;
  readonly resources: readonly ExplainedResource[];
  readonly provenance: AnyResource | null;
  readonly decisions: readonly Decision[];
  readonly findings: readonly TranslationFinding[];
  /** What waits by itself while the rest is written. */
  readonly leftOut: readonly LeftOut[];
  /**
   * Where the source's FHIR, or what was made of it, is not valid R4; and what the Patient and the Provenance miss of a
   * profile.
   */
  readonly issues: readonly string[];
  /** What came in and does not meet a profile that it claims. Empty where nobody asks. */
  readonly claimFindings: readonly ProfileFinding[];
}

export interface ExplainDeps {
  readonly translationContext: TranslationContext;
  readonly dialectBecause: ChosenDialect['because'];
  readonly standing: Standing | null;
  /** The patient to whom the source user is linked; null where nobody has confirmed one. */
  readonly link: (envelope: Envelope) => Promise<Result<LinkedPatient | null>>;
  /** What was written before to this chart, for the document and as far as it is asked for. */
  readonly written: (patient: LinkedPatient, asked: LedgerQuestion) => Promise<Result<readonly WrittenResource[]>>;
  /** What was read of the chart when the delivery was parked. */
  readonly seen: () => Promise<Result<readonly Pick<SeenChange, 'name' | 'sides'>[]>>;
}

const NOBODY: LinkedPatient = { mrnSystem: 'urn:chartgate:unlinked', mrn: 'unlinked' };

/** What is known of a resource beside what would be done with it. */
interface Known {
  readonly kept: ReadonlySet<string>;
  readonly charted: ReadonlyMap<string, ChartContent | null>;
  readonly profilesOf: (resource: AnyResource) => readonly string[];
  readonly findings: ReadonlyMap<string, readonly ProfileFinding[]>;
}

const explained = (change: Change, known: Known): ExplainedResource => {
  const of = change.kind === 'retract' ? change.written : change.wanted;
  const isConflict = known.kept.has(of.name) && change.kind !== 'keep' && change.kind !== 'skip';
  return { ...explainedAlone(change, known), ...(isConflict ? { change: 'conflict' } : {}) };
};

const explainedAlone = (change: Change, { charted, profilesOf, findings }: Known): ExplainedResource => {
  if (change.kind === 'retract') {
    const { name, resourceType, group, chartDay } = change.written;
    return {
      change: change.kind,
      name,
      resourceType,
      group,
      chartDay,
      resource: null,
      chart: charted.get(name) ?? null,
      profiles: [],
      profileFindings: [],
    };
  }
  const { name, group, chartDay, resource } = change.wanted;
  const shown = change.kind === 'update' ? change.resource : resource;
  return {
    change: change.kind,
    name,
    resourceType: resource.resourceType,
    group,
    chartDay,
    resource: shown,
    chart: null,
    profiles: profilesOf(resource),
    profileFindings: findings.get(name) ?? [],
  };
};

const issueText = ({ rule, expression, text, profile }: Issue): string =>
  `${rule} ${expression}${profile === undefined ? '' : ` (${profile})`}: ${text}`;

/** The same that judging says: a document that is not R4, or would not be, goes nowhere. */
function troubleOf(
  found: string | null,
  faults: { readonly source: Faults; readonly output: Faults },
  { incomingProfiles }: TranslationContext,
  isSuspicious: boolean,
  patient: LinkedPatient | null,
): string | null {
  if (faults.source.r4.length > 0) return 'not-r4';
  if (faults.source.profile.length > 0 && incomingProfiles === 'quarantine') return 'not-profile';
  const trouble = found ?? troubleOfOutput(faults.output);
  if (trouble !== null) return trouble;
  if (isSuspicious) return 'suspicious';
  return patient === null ? 'unlinked' : null;
}

/** The whole way of a document, up to the door. */
export async function explain(
  body: Uint8Array,
  delivery: DeliveryFacts,
  deps: ExplainDeps,
): Promise<Result<Explanation>> {
  const parsed = parseLossless(body);
  if (!parsed.ok) return fail(fault('payload.shape', { at: parsed.fault.rule }));
  const read = await readDocument(parsed.value, deps.translationContext);
  if (!read.ok) return read;
  const { payload, custom } = read.value;
  const link = await deps.link(payload.envelope);
  if (!link.ok) return link;
  const patient = link.value;
  const { setting, templates } = deps.translationContext;
  const translation = translate({ payload, custom, patient: patient ?? NOBODY, delivery, setting });
  const written = await deps.written(patient ?? NOBODY, ledgerQuestionOf(translation));
  if (!written.ok) return written;
  const { changes, isSuspicious, replaced } = decideChanges(
    translation,
    written.value,
    setting.dialect,
    saidAtOf(payload, delivery.receivedAt),
  );
  const kept = new Set(written.value.filter(({ isKept }) => isKept).map(({ name }) => name));
  const seen = await deps.seen();
  if (!seen.ok) return seen;
  const charted = new Map(seen.value.map(({ name, sides }) => [name, sides?.theirs ?? null]));
  const validators = validatorsOf(deps.translationContext);
  const faults = { source: checkIncoming(fhirOf(payload), validators), output: checkOutput(translation, validators) };
  const { byName, others } = findingsByName(translation, faults.output.profile);
  const known: Known = {
    kept,
    charted,
    profilesOf: (resource) => imposedProfiles(setting.dialect, resource),
    findings: byName,
  };
  return ok({
    dataStructure: payload.envelope.dataStructure,
    documentVersion: payload.envelope.documentVersion,
    link: patient,
    mappings: setting.mappings.version,
    dialect: setting.dialect.name,
    dialectBecause: deps.dialectBecause,
    delivery: deps.standing,
    template: custom === null ? null : (templateOf(templates, payload)?.row ?? null),
    trouble: troubleOf(
      translation.trouble ?? replaced?.why ?? null,
      faults,
      deps.translationContext,
      isSuspicious,
      patient,
    ),
    patient: translation.patient.resource,
    resources: changes.map((change) => explained(change, known)),
    provenance: translation.provenance?.resource ?? null,
    decisions: translation.decisions,
    findings: translation.findings,
    leftOut: translation.leftOut,
    issues: [
      ...faults.source.r4.map(issueText),
      ...[...faults.output.r4, ...others].map((issue) => `output: ${issueText(issue)}`),
    ],
    claimFindings: faults.source.profile.map(findingOf),
  });
}
