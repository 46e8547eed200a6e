/**
 * For maintainers: derives the definitions table of `src/r4` from HL7's own packages.
 *
 *   npm install --prefix <folder> hl7.fhir.r4.examples@4.0.1 hl7.fhir.r4.expansions@4.0.1
 *   node tools/derive-r4.ts <folder>
 *
 * One line per structure, one string per element, in the notation that `src/r4/definitions/read-structures.ts` reads:
 *   name min..max type|type(target,target) !value-set ~invariant
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Constraint {
  readonly key: string;
  readonly severity: string;
  readonly human: string;
  readonly expression?: string;
}

interface ElementType {
  readonly code: string;
  readonly profile?: readonly string[];
  readonly targetProfile?: readonly string[];
}

interface Element {
  readonly path: string;
  readonly min: number;
  readonly max: string;
  readonly base: { readonly path: string };
  readonly type?: readonly ElementType[];
  readonly contentReference?: string;
  readonly constraint?: readonly Constraint[];
  readonly binding?: { readonly strength: string; readonly valueSet?: string };
}

interface Structure {
  readonly resourceType: string;
  readonly name: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly snapshot: { readonly element: readonly Element[] };
}

interface Contained {
  readonly system?: string;
  readonly code?: string;
  readonly abstract?: boolean;
  readonly contains?: readonly Contained[];
}

interface ValueSet {
  readonly resourceType: string;
  readonly url: string;
  readonly expansion?: { readonly contains?: readonly Contained[] };
}

interface StructureRow {
  readonly kind: string;
  readonly abstract?: true;
  readonly elements: string[];
  readonly invariants?: string[];
}

const BASES = new Set(['Element', 'BackboneElement', 'Resource', 'DomainResource']);
/** Held natively by the validator for every element and resource, so the table does not repeat them 9,000 times. */
const NATIVE = /^(?:ele|ext|dom)-\d+$/;
const SYSTEM_STRING = 'http://hl7.org/fhirpath/System.String';
const OPEN_SETS: Readonly<Record<string, string>> = { mimetypes: 'mime', 'ucum-units': 'ucum', 'LL379-9': 'open' };

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder that holds node_modules with the HL7 packages.');
const packageFolder = (name: string): string => join(folder, 'node_modules', name);

function readAll<T>(name: string, prefix: string): T[] {
  const from = packageFolder(name);
  const files = readdirSync(from).filter((file) => file.startsWith(prefix) && file.endsWith('.json'));
  return files.sort().map((file) => JSON.parse(readFileSync(join(from, file), 'utf8')) as T);
}

const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1).replace(/\|.*$/, '');

const structures: Record<string, StructureRow> = {};
const invariants: Record<string, { severity: string; human: string; expression: string }> = {};
const wantedSets = new Map<string, 'codes' | 'codings'>();

/** `inv-1` exists three times with three meanings; everything else has one. */
function nameInvariant(constraint: Constraint, path: string): string {
  const key = constraint.key === 'inv-1' ? `${path.split('.')[0] ?? ''}:inv-1` : constraint.key;
  invariants[key] = { severity: constraint.severity, human: constraint.human, expression: constraint.expression ?? '' };
  return key;
}

const ownInvariants = (element: Element): string[] =>
  (element.constraint ?? []).filter((c) => !NATIVE.test(c.key)).map((c) => nameInvariant(c, element.path));

function describeType(type: ElementType, element: Element): string {
  if (type.code === SYSTEM_STRING) {
    if (element.base.path === 'Resource.id') return 'id';
    return element.path === 'Extension.url' ? 'bare-uri' : 'bare-string';
  }
  if (type.code === 'Quantity' && type.profile?.some((p) => p.endsWith('/SimpleQuantity')) === true)
    return 'SimpleQuantity';
  const targets = type.code === 'Reference' ? (type.targetProfile ?? []).map(lastPart) : [];
  return targets.length === 0 || targets.includes('Resource') ? type.code : `${type.code}(${targets.join(',')})`;
}

function describeBinding(element: Element): string {
  if (element.binding?.strength !== 'required' || element.binding.valueSet === undefined) return '';
  const url = element.binding.valueSet.replace(/\|.*$/, '');
  const set = OPEN_SETS[lastPart(url)] ?? lastPart(url);
  const types = element.type?.map((t) => t.code) ?? [];
  if (set === lastPart(url)) wantedSets.set(url, types.includes('code') ? 'codes' : 'codings');
  return set === 'open' ? '' : ` !${set}`;
}

function describeElement(element: Element, isBackbone: boolean): string {
  const name = element.path.slice(element.path.lastIndexOf('.') + 1);
  const type = isBackbone
    ? `#${element.path}`
    : (element.contentReference ?? (element.type ?? []).map((t) => describeType(t, element)).join('|'));
  const rules = isBackbone ? [] : ownInvariants(element);
  return `${name} ${element.min}..${element.max} ${type}${describeBinding(element)}${rules.map((r) => ` ~${r}`).join('')}`;
}

/** Which of R4's four bases the structure's own elements come on top of. */
function describeKind(structure: Structure): string {
  const paths = new Set(structure.snapshot.element.map((e) => e.path));
  if (structure.kind === 'resource') return paths.has(`${structure.name}.contained`) ? 'domain' : 'resource';
  return paths.has(`${structure.name}.modifierExtension`) ? 'backbone' : 'element';
}

function addStructure(structure: Structure): void {
  const elements = structure.snapshot.element;
  const parents = new Set(elements.map((e) => e.path.slice(0, e.path.lastIndexOf('.'))));
  const isBase = BASES.has(structure.name);
  for (const element of elements) {
    const isRoot = !element.path.includes('.');
    if (isRoot || parents.has(element.path)) {
      const rules = ownInvariants(element);
      const kind = isRoot ? describeKind(structure) : element.type?.[0]?.code === 'Element' ? 'element' : 'backbone';
      structures[element.path] = {
        kind,
        ...(isRoot && structure.abstract ? { abstract: true } : {}),
        elements: [],
        ...(rules.length > 0 ? { invariants: rules } : {}),
      };
    }
    if (isRoot || (!isBase && BASES.has(element.base.path.split('.')[0] ?? ''))) continue;
    if (isBase && element.base.path !== element.path) continue;
    structures[element.path.slice(0, element.path.lastIndexOf('.'))]?.elements.push(
      describeElement(element, parents.has(element.path)),
    );
  }
}

function flatten(contains: readonly Contained[] = []): Contained[] {
  return contains.flatMap((c) => [...(c.code === undefined || c.abstract === true ? [] : [c]), ...flatten(c.contains)]);
}

function deriveSets(): Record<string, readonly string[] | Record<string, string[]>> {
  const known = new Map(readAll<ValueSet>('hl7.fhir.r4.expansions', 'ValueSet-').map((set) => [set.url, set]));
  const sets: Record<string, readonly string[] | Record<string, string[]>> = {};
  for (const [url, form] of [...wantedSets].sort()) {
    const members = flatten(known.get(url)?.expansion?.contains);
    if (members.length === 0) throw new Error(`No expansion of ${url}`);
    const bySystem: Record<string, string[]> = {};
    for (const { system = '', code = '' } of members) (bySystem[system] ??= []).push(code);
    sets[lastPart(url)] = form === 'codes' ? [...new Set(Object.values(bySystem).flat())] : bySystem;
  }
  return sets;
}

function write(name: string, rows: Record<string, unknown>): void {
  const lines = Object.keys(rows)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(rows[key])}`);
  const file = join(import.meta.dirname, '..', 'src', 'r4', 'definitions', name);
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${name}: ${lines.length} rows`);
}

for (const structure of readAll<Structure>('hl7.fhir.r4.examples', 'StructureDefinition-')) {
  if (structure.derivation === 'constraint' || structure.kind === 'logical' || structure.kind === 'primitive-type')
    continue;
  addStructure(structure);
}
write('structures.json', structures);
write('value-sets.json', deriveSets());
write('invariants.json', invariants);
