import { isObject } from '../../kernel/index.ts';
import { flag, type Context, type Json } from './context.ts';
import { typeInUrl, type ResourceTypes } from './references.ts';
import { show } from './say.ts';

/** What a Composition refers to and a document must hold, http://hl7.org/fhir/R4/documents.html#content */
const OF_COMPOSITION = ['subject', 'encounter', 'author', 'custodian', 'attester.party', 'event.detail'];
const OF_SECTION = ['author', 'focus', 'entry'];

/** Definitions are known by their canonical address, wherever they are. */
const DEFINITIONS = new Set(
  (
    'ActivityDefinition CapabilityStatement ChargeItemDefinition CodeSystem CompartmentDefinition ConceptMap ' +
    'EffectEvidenceSynthesis EventDefinition Evidence EvidenceVariable ExampleScenario GraphDefinition ' +
    'ImplementationGuide Library Measure MessageDefinition NamingSystem OperationDefinition PlanDefinition ' +
    'Questionnaire ResearchDefinition ResearchElementDefinition RiskEvidenceSynthesis SearchParameter ' +
    'StructureDefinition StructureMap TerminologyCapabilities TestScript ValueSet'
  ).split(' '),
);

const listOf = (v: unknown): readonly unknown[] => (Array.isArray(v) ? (v as unknown[]) : v === undefined ? [] : [v]);

/** A reference of the first entry, and where it stands. */
interface Link {
  readonly reference: string;
  readonly at: string;
}

function collect(from: unknown, steps: readonly string[], at: string, into: Link[]): void {
  const [step, ...rest] = steps;
  if (!isObject(from)) return;
  if (step === undefined) {
    if (typeof from['reference'] === 'string') into.push({ reference: from['reference'], at });
    return;
  }
  const value = from[step];
  const isList = Array.isArray(value);
  listOf(value).forEach((one, i) => collect(one, rest, isList ? `${at}.${step}[${i}]` : `${at}.${step}`, into));
}

const SECTION_DEPTH_MAX = 100;

function collectSections(from: Json, at: string, depth: number, into: Link[]): void {
  if (depth > SECTION_DEPTH_MAX) return;
  listOf(from['section']).forEach((section, i) => {
    if (!isObject(section)) return;
    const here = `${at}.section[${i}]`;
    for (const name of OF_SECTION) collect(section, [name], here, into);
    collectSections(section, here, depth + 1, into);
  });
}

function linksOf(first: Json, at: string): Link[] {
  const links: Link[] = [];
  if (first['resourceType'] === 'MessageHeader') collect(first, ['focus'], at, links);
  if (first['resourceType'] !== 'Composition') return links;
  for (const path of OF_COMPOSITION) collect(first, path.split('.'), at, links);
  collectSections(first, at, 0, links);
  return links;
}

const VERSION = '/_history/';

/** Whether an entry answers the reference: by its fullUrl, or by the fullUrl that a relative reference stands for. */
function isAnswered(reference: string, base: string | null, types: ResourceTypes, c: Context): boolean {
  const known = c.bundle?.typeByUrl;
  if (known === undefined) return true;
  const version = reference.indexOf(VERSION);
  const plain = version === -1 ? reference : reference.slice(0, version);
  if (known.has(plain)) return true;
  const type = typeInUrl(reference, types);
  // Of another form: whoever reads the reference says so.
  if (type === null) return true;
  if (/^[A-Za-z][A-Za-z0-9+.-]{0,60}:/.test(plain)) return DEFINITIONS.has(type);
  return base !== null && known.has(`${base}${plain}`);
}

/** The RESTful address that relative references of an entry start from; null where its fullUrl is none. */
function baseOf(fullUrl: unknown, types: ResourceTypes): string | null {
  if (typeof fullUrl !== 'string') return null;
  const type = typeInUrl(fullUrl, types);
  return type === null || type === '' ? null : fullUrl.slice(0, fullUrl.lastIndexOf(`${type}/`));
}

/**
 * A document holds what its Composition is about, a message what its header is about. Any other reference may lead out
 * of a bundle, of whatever form it is.
 */
export function checkHead(entry: unknown, types: ResourceTypes, c: Context, path: string): boolean {
  if (!isObject(entry) || !isObject(entry['resource'])) return true;
  const base = baseOf(entry['fullUrl'], types);
  let isSound = true;
  for (const { reference, at } of linksOf(entry['resource'], `${path}.entry[0].resource`)) {
    const [address = ''] = reference.split('#');
    if (address === '' || isAnswered(address, base, types, c)) continue;
    isSound = flag(c, 'bundle-unresolved', at, `No entry of the bundle answers the reference ${show(reference)}.`);
  }
  return isSound;
}

const TEXT_DEPTH_MAX = 200;

/** Every string of a resource that is the address of an entry, as it stands or from `base`. */
function addressesIn(from: unknown, base: string | null, depth: number, c: Context, into: Set<string>): void {
  if (typeof from === 'string') {
    const known = c.bundle?.typeByUrl;
    const version = from.indexOf(VERSION);
    const plain = version === -1 ? from : from.slice(0, version);
    if (known?.has(plain) === true) into.add(plain);
    else if (base !== null && known?.has(`${base}${plain}`) === true) into.add(`${base}${plain}`);
  } else if (typeof from === 'object' && from !== null && depth < TEXT_DEPTH_MAX) {
    for (const value of Object.values(from)) addressesIn(value, base, depth + 1, c, into);
  }
}

/** Every entry of a document is reached from its Composition, along references in either direction. */
export function checkReach(entries: readonly unknown[], types: ResourceTypes, c: Context, path: string): boolean {
  const numberOf = new Map<string, number>();
  const all = entries.map((entry, i) => {
    const url = isObject(entry) ? entry['fullUrl'] : undefined;
    if (typeof url === 'string') numberOf.set(url, i);
    return { url, resource: isObject(entry) ? entry['resource'] : undefined };
  });
  const besides: number[][] = entries.map(() => []);
  all.forEach(({ url, resource }, i) => {
    const addresses = new Set<string>();
    addressesIn(resource, baseOf(url, types), 0, c, addresses);
    for (const address of addresses) {
      const other = numberOf.get(address) ?? i;
      besides[i]?.push(other);
      besides[other]?.push(i);
    }
  });
  const reached = new Set([0]);
  for (const i of reached) for (const other of besides[i] ?? []) reached.add(other);
  let isSound = true;
  all.forEach(({ url, resource }, i) => {
    if (reached.has(i) || resource === undefined) return;
    isSound = flag(c, 'document-reach', `${path}.entry[${i}]`, `Nothing leads from the Composition to ${show(url)}.`);
  });
  return isSound;
}
