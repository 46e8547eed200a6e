import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from '@medplum/fhirtypes';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import type { Element, ElementType, Structure } from '../definitions/read-structures.ts';
import { isPrimitiveName } from '../runtime/primitives.ts';

export const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const SYSTEM_TYPES = 'http://hl7.org/fhirpath/System.';
const SYSTEM_STRING = `${SYSTEM_TYPES}String`;

/** Value sets of the table that are not named like their address, or that it only knows by their syntax. */
const SET_ADDRESSES: Readonly<Record<string, string>> = {
  mime: 'http://hl7.org/fhir/ValueSet/mimetypes|4.0.1',
  ucum: 'http://hl7.org/fhir/ValueSet/ucum-units|4.0.1',
};

/** The FHIRPath type that a primitive's `value` has, where it is not a string. */
const PRIMITIVE_VALUES: Readonly<Record<string, string>> = {
  boolean: 'Boolean',
  integer: 'Integer',
  unsignedInt: 'Integer',
  positiveInt: 'Integer',
  decimal: 'Decimal',
  date: 'Date',
  dateTime: 'DateTime',
  instant: 'DateTime',
  time: 'Time',
};

function setAddress(name: string): string {
  const known = SET_ADDRESSES[name];
  if (known !== undefined) return known;
  return name.startsWith('v3-')
    ? `http://terminology.hl7.org/ValueSet/${name}`
    : `http://hl7.org/fhir/ValueSet/${name}|4.0.1`;
}

function typeOf(type: ElementType): ElementDefinitionType {
  if (type.kind === 'primitive') return { code: type.isBare ? SYSTEM_STRING : type.name };
  if (type.kind === 'resource') return { code: 'Resource' };
  if (type.kind === 'reference')
    return type.targets.length === 0
      ? { code: 'Reference' }
      : { code: 'Reference', targetProfile: type.targets.map((target) => CORE + target) };
  if (type.name === 'SimpleQuantity') return { code: 'Quantity', profile: [`${CORE}SimpleQuantity`] };
  return { code: type.name };
}

const isBackbone = (structure: Structure): boolean =>
  structure.elements.some(({ name }) => name === 'modifierExtension');

/** Where an element was first defined, which tells whether JSON writes it as a list. */
function originOf(owner: Structure, name: string): string {
  const { structures } = loadDefinitions();
  const bases = owner.isResource ? ['Resource', 'DomainResource'] : ['Element', 'BackboneElement'];
  const found = bases.find((base) => structures.get(base)?.elements.some((one) => one.name === name) === true);
  return `${found ?? owner.name}.${name}`;
}

function constraintsOf(keys: readonly string[], source: string): Pick<ElementDefinition, 'constraint'> {
  const { invariants } = loadDefinitions();
  if (keys.length === 0) return {};
  return {
    constraint: keys.map((key) => {
      const { severity = 'error', human = key, expression = '' } = invariants[key] ?? {};
      // `inv-1` has three meanings in R4; the table tells them apart by the resource.
      const published = key.slice(key.indexOf(':') + 1);
      return { key: published, severity: severity === 'warning' ? 'warning' : 'error', human, expression, source };
    }),
  };
}

/** One ElementDefinition for each element; the values of a choice are one. */
function describe(owner: Structure, values: readonly Element[], source: string): ElementDefinition[] {
  const { structures } = loadDefinitions();
  const [first] = values;
  if (first === undefined) return [];
  const name = first.choice === null ? first.name : `${first.choice}[x]`;
  const path = `${owner.name}.${name}`;
  const min = first.choice === null ? first.min : (owner.choices.get(first.choice) ?? 0);
  const max = first.max === Infinity ? '*' : String(first.max);
  const shared = { id: path, path, min, max, base: { path: originOf(owner, name), min, max } };
  const rules = constraintsOf(first.invariants, source);
  const binding: Pick<ElementDefinition, 'binding'> =
    first.binding === null ? {} : { binding: { strength: 'required', valueSet: setAddress(first.binding) } };
  const inner = first.type.kind === 'structure' && first.type.name.includes('.') ? first.type.name : undefined;
  if (inner === undefined) {
    // Published definitions type the id of a resource as they type that of an element.
    const type = path === `${owner.name}.id` ? [{ code: SYSTEM_STRING }] : values.map((value) => typeOf(value.type));
    return [{ ...shared, type, ...binding, ...rules }];
  }
  const structure = structures.get(inner);
  if (inner !== path || structure === undefined) return [{ ...shared, contentReference: `#${inner}`, ...rules }];
  return [
    {
      ...shared,
      type: [{ code: isBackbone(structure) ? 'BackboneElement' : 'Element' }],
      ...constraintsOf([...first.invariants, ...structure.invariants], source),
    },
    ...describeAll(structure, source),
  ];
}

function describeAll(structure: Structure, source: string): ElementDefinition[] {
  const groups = Map.groupBy(structure.elements, ({ name, choice }) => (choice === null ? name : `${choice}[x]`));
  return [...groups.values()].flatMap((values) => describe(structure, values, source));
}

function wrap(name: string, kind: StructureDefinition['kind'], element: ElementDefinition[]): StructureDefinition {
  return {
    resourceType: 'StructureDefinition',
    url: CORE + name,
    name,
    status: 'active',
    fhirVersion: '4.0.1',
    kind,
    abstract: loadDefinitions().structures.get(name)?.isAbstract === true,
    type: name,
    derivation: 'specialization',
    snapshot: { element },
  };
}

const rootOf = (name: string): ElementDefinition => ({
  id: name,
  path: name,
  min: 0,
  max: '*',
  base: { path: name, min: 0, max: '*' },
});

function describePrimitive(name: string): StructureDefinition {
  const child = (last: string, max: string, code: string, origin: string): ElementDefinition => ({
    id: `${name}.${last}`,
    path: `${name}.${last}`,
    min: 0,
    max,
    base: { path: origin, min: 0, max },
    type: [{ code }],
  });
  const value = SYSTEM_TYPES + (PRIMITIVE_VALUES[name] ?? 'String');
  return wrap(name, 'primitive-type', [
    rootOf(name),
    child('id', '1', SYSTEM_STRING, 'Element.id'),
    child('extension', name === 'xhtml' ? '0' : '*', 'Extension', 'Element.extension'),
    child('value', '1', value, `${name}.value`),
  ]);
}

/** R4's profile of Quantity that its own elements name: no comparator. */
function describeSimpleQuantity(): StructureDefinition | undefined {
  const quantity = baseSnapshotOf('Quantity');
  if (quantity === undefined) return undefined;
  const element = (quantity.snapshot?.element ?? []).map((one) =>
    one.path === 'Quantity.comparator' ? { ...one, max: '0' } : one,
  );
  const url = `${CORE}SimpleQuantity`;
  return { ...quantity, url, name: 'SimpleQuantity', derivation: 'constraint', snapshot: { element } };
}

function describeType(name: string): StructureDefinition | undefined {
  if (isPrimitiveName(name)) return describePrimitive(name);
  if (name === 'SimpleQuantity') return describeSimpleQuantity();
  const structure = loadDefinitions().structures.get(name);
  if (structure === undefined || name.includes('.')) return undefined;
  const source = CORE + name;
  const root = { ...rootOf(name), ...constraintsOf(structure.invariants, source) };
  const kind = structure.isResource ? 'resource' : 'complex-type';
  return wrap(name, kind, [root, ...describeAll(structure, source)]);
}

const described = new Map<string, StructureDefinition>();

/**
 * R4's own definition of a type, made from the committed table: paths, cardinality, types with their targets, required
 * bindings and invariants, without texts. Invariants that the validator holds natively (`ele-1`, `ext-1`, `dom-*`), bindings
 * that are not required and targets of `canonical` are not in the table, and so not here. Made once; not to be changed.
 */
export function baseSnapshotOf(typeName: string): StructureDefinition | undefined {
  const known = described.get(typeName);
  if (known !== undefined) return known;
  const made = describeType(typeName);
  if (made !== undefined) described.set(typeName, made);
  return made;
}
