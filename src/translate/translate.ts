import { canonicalJson } from '../kernel/index.ts';
import { withoutUnzonedTimes, type Document, type Payload } from '../payloads/index.ts';
import { buildDevices } from './build-devices.ts';
import { buildProvenance } from './build-provenance.ts';
import { translateMetrics } from './clinical/translate-metrics.ts';
import { applyDialect } from './dialect/apply-dialect.ts';
import { claimProfiles } from './dialect/claim-profiles.ts';
import { claimsOf } from './lab/claims.ts';
import { translateLab } from './lab/translate-lab.ts';
import { makeTimeFacts, makeTimesOf } from './judge-time.ts';
import { makeNameOf } from './name.ts';
import { partContent, type Parted } from './leave-out.ts';
import { openNotebook, type Notebook } from './notebook.ts';
import { wordOf } from './parts.ts';
import { patientOf, type Scene } from './scene.ts';
import { clearedDayOf, translateAlertEvent, translateAlertSummary } from './translate-alerts.ts';
import { translateCustom } from './translate-custom.ts';
import { translateProfile } from './translate-profile.ts';
import { translateSteps } from './translate-steps.ts';
import {
  NOT_RECEIVED,
  type CustomContent,
  type DeliveryFacts,
  type LinkedPatient,
  type Scope,
  type Setting,
  type Translation,
  type Wanted,
} from './translation.ts';

export interface TranslateQuestion {
  readonly payload: Payload;
  /** What a template made of it, where the site has one for its structure. */
  readonly custom: CustomContent | null;
  readonly patient: LinkedPatient;
  readonly delivery: DeliveryFacts;
  readonly setting: Setting;
  /** `left-out` where nobody asks why: most of what is written down of a translation explains it. */
  readonly decisions?: 'written-down' | 'left-out';
}

function translateDocument(scene: Scene, devices: readonly Wanted[], question: TranslateQuestion): Wanted[] {
  const { payload, custom, delivery } = question;
  const { document } = payload;
  switch (document.kind) {
    case 'clinical_ready':
      return translateMetrics(scene, document, devices);
    case 'steps_event':
      return translateSteps(scene, document);
    case 'alert_event':
      return translateAlertEvent(scene, document);
    case 'alert_summary':
      return translateAlertSummary(scene, document);
    case 'user_profile':
      return translateProfile(scene, document);
    case 'lab_result': {
      if (document.format === 'fhir') {
        if (document.hasUnzoned) scene.notebook.find('time.unzoned', document.resource.resourceType);
        return translateLab(scene, document.resource, document.documentId, delivery);
      }
      if (custom === null) break;
      const resources = withoutUnzonedTimes(custom.resources);
      if (resources !== custom.resources) scene.notebook.find('time.unzoned', 'Bundle');
      const root = { resourceType: 'Bundle', entry: resources.map((resource) => ({ resource })) };
      return translateLab(scene, root, document.documentId ?? custom.key, delivery);
    }
    case 'unknown':
      if (custom !== null) return translateCustom(scene, custom, devices);
  }
  scene.notebook.find('code.unmapped', 'data_structure', payload.envelope.dataStructure);
  return [];
}

const whoseIn = (document: Document): Translation['whose'] =>
  document.kind === 'lab_result' && document.format === 'fhir' ? claimsOf(document.resource) : null;

/** What is referred to comes first. */
const RANK = ['Organization', 'Device', 'Specimen', 'Observation', 'DiagnosticReport', 'DocumentReference'];
const rankOf = ({ resource }: Wanted): number => {
  const rank = RANK.indexOf(resource.resourceType);
  // An Observation over others comes after them.
  const isParent = resource.resourceType === 'Observation' && resource['hasMember'] !== undefined;
  return (rank === -1 ? RANK.length : rank) * 2 + (isParent ? 1 : 0);
};

/** By day and code before the name, so that a person finds what she looks for. */
interface Ranked {
  readonly one: Wanted;
  readonly rank: number;
  readonly code: string;
}
const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const compare = (a: Ranked, b: Ranked): number =>
  a.rank - b.rank ||
  before(a.one.chartDay ?? '', b.one.chartDay ?? '') ||
  before(a.one.group, b.one.group) ||
  before(a.code, b.code) ||
  before(a.one.name, b.one.name);

const codeOf = ({ resource }: Wanted): string => {
  const { coding, text } = (resource['code'] ?? {}) as { coding?: { code?: unknown }[]; text?: unknown };
  return wordOf(coding?.[0]?.code) || wordOf(text);
};

const inOrder = (wanted: readonly Wanted[]): Wanted[] =>
  wanted
    .map((one): Ranked => ({ one, rank: rankOf(one), code: codeOf(one) }))
    .sort(compare)
    .map(({ one }) => one);

/** Of which one entry may wait while the rest is written. An alert is never left out, and the others say one thing. */
const MAY_WAIT_IN_PART: ReadonlySet<Document['kind']> = new Set(['clinical_ready', 'lab_result']);

/** One resource under each name. The same said twice is said once; of two contradicting ones neither is. */
function onePerName(wanted: readonly Wanted[], notebook: Notebook, mayWait: boolean): Wanted[] {
  const byName = new Map<string, Wanted>();
  for (const one of wanted) {
    const known = byName.get(one.name);
    if (known === undefined) byName.set(one.name, one);
    else {
      const mark = notebook.mark();
      if (canonicalJson(known.resource) !== canonicalJson(one.resource))
        notebook.find('measurement.twice', one.resource.resourceType);
      const why = mayWait ? notebook.heldSince(mark) : null;
      const waits = known.waits ?? one.waits ?? (why === null ? undefined : { at: one.resource.resourceType, why });
      // Whichever came first, the answer is the same, to the last digit.
      const first = JSON.stringify(one.resource) < JSON.stringify(known.resource) ? one : known;
      byName.set(one.name, waits === undefined ? first : { ...first, waits });
    }
  }
  return [...byName.values()];
}

function scopesOf(content: readonly Wanted[]): Scope[] {
  const scopes: Scope[] = [];
  for (const { group, chartDay } of content)
    if (group !== 'support' && !scopes.some((one) => one.group === group && one.chartDay === chartDay))
      scopes.push({ group, chartDay });
  return scopes.sort((a, b) => before(a.group, b.group) || before(a.chartDay ?? '', b.chartDay ?? ''));
}

/**
 * What the EHR should hold because of this document. Pure: the same document, link, mappings and dialect give the same
 * bytes, and the order of entries does not matter.
 */
export function translate(question: TranslateQuestion): Translation {
  const { payload, patient, setting, delivery } = question;
  const notebook = openNotebook(setting.unmapped, question.decisions);
  const { mappings, dialect } = setting;
  const names = makeNameOf(payload.envelope.clientUuid, payload.envelope.userId, patient.mrnSystem, patient.mrn);
  const receivedAt = delivery.receivedAt.getTime() === NOT_RECEIVED.getTime() ? null : delivery.receivedAt;
  const alone = {
    receivedAt,
    envelope: payload.envelope,
    patient,
    setting,
    mappings,
    notebook,
    timeFacts: makeTimeFacts(receivedAt, setting),
    timesOf: makeTimesOf(),
    nameOf: names,
  };
  const rekeyed = patientOf(alone);
  const subject = { reference: rekeyed.reference };
  const bare: Scene = { ...alone, subject, performers: [subject], device: null };
  const devices = buildDevices(bare, payload.devices);
  const [only, ...others] = devices;
  const scene: Scene =
    only !== undefined && others.length === 0 ? { ...bare, device: { reference: only.reference } } : bare;
  const mayWait = MAY_WAIT_IN_PART.has(payload.document.kind);
  const content = onePerName([...devices, ...translateDocument(scene, devices, question)], notebook, mayWait);
  const parted = partContent(content);
  for (const { at } of parted.leftOut) notebook.find('codes.left-out', at);
  const wanted = applyDialect(setting, inOrder(parted.going), notebook);
  return {
    patient: claimProfiles(dialect, rekeyed),
    whose: whoseIn(payload.document),
    wanted,
    scopes: scopesOf(content),
    clearsAlertsOf: clearedDayOf(payload.document),
    provenance:
      dialect.provenance === 'none' || wanted.length === 0
        ? null
        : claimProfiles(dialect, buildProvenance(scene, delivery, payload.document, wanted)),
    ...close(notebook, parted, isReadyIn(payload.document)),
  };
}

const isReadyIn = (document: Document): boolean => document.kind !== 'clinical_ready' || document.isReady;

/**
 * Where the whole document waits, nothing of it is left out: it is not said twice why. One that its source has not
 * finished waits whatever is found in it, since a later version says it anew.
 */
function close(
  notebook: Notebook,
  { leftOut, trouble }: Parted,
  isReady: boolean,
): Pick<Translation, 'decisions' | 'findings' | 'leftOut' | 'trouble'> {
  const closed = notebook.close();
  const why = isReady ? (closed.trouble ?? trouble) : 'not-ready';
  return { ...closed, leftOut: why === null ? leftOut : [], trouble: why };
}
