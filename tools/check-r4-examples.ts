/**
 * For maintainers, and long: judges every example instance of HL7's package and compares with the committed list of the
 * defective ones. Exit code 1 when a sound example is refused or a defective one is accepted.
 *
 *   npm install --prefix <folder> hl7.fhir.r4.examples@4.0.1
 *   node tools/check-r4-examples.ts <folder> [--write]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadValidator, parseLossless, type Issue } from '../src/r4/index.ts';

const LIST = join(import.meta.dirname, '..', 'test', 'fixtures', 'r4-defective-examples.json');

/** The definitions themselves, and bundles of nothing but definitions, are no example instances. */
const DEFINITIONS = new Set(
  (
    'StructureDefinition ValueSet CodeSystem SearchParameter ConceptMap OperationDefinition CompartmentDefinition ' +
    'NamingSystem CapabilityStatement ImplementationGuide GraphDefinition'
  ).split(' '),
);

interface Example {
  readonly resourceType?: string;
  readonly entry?: readonly { readonly resource?: Example }[];
}

const isDefinition = (r: Example | undefined): boolean => DEFINITIONS.has(r?.resourceType ?? '');

function isInstance(example: Example): boolean {
  if (example.resourceType === undefined || isDefinition(example)) return false;
  return example.resourceType !== 'Bundle' || example.entry?.every((e) => isDefinition(e.resource)) !== true;
}

const reason = (issues: readonly Issue[]): string => {
  const [first] = issues;
  if (first === undefined) return '';
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`;
  return `${first.rule} at ${first.expression}: ${first.text}${more}`;
};

const [folder, option] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder that holds node_modules with the HL7 examples.');
const from = join(folder, 'node_modules', 'hl7.fhir.r4.examples');
const validator = loadValidator();
const found: Record<string, string> = {};
let count = 0;
for (const file of readdirSync(from).sort()) {
  if (!file.endsWith('.json') || file === 'package.json') continue;
  const parsed = parseLossless(readFileSync(join(from, file)), { bytesMax: 64 * 1024 * 1024, tokensMax: 64_000_000 });
  if (!parsed.ok) {
    found[file] = `${parsed.fault.rule}: ${parsed.fault.text}`;
    continue;
  }
  if (!isInstance(parsed.value as Example)) continue;
  count++;
  const issues = validator.validate(parsed.value);
  if (issues.length > 0) found[file] = reason(issues);
}
if (option === '--write') writeFileSync(LIST, `${JSON.stringify(found, null, 2)}\n`);
const listed = JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, string>;
const refused = Object.keys(found).filter((file) => !(file in listed));
const accepted = Object.keys(listed).filter((file) => !(file in found));
for (const [file, why] of Object.entries(found)) console.log(`${file}\n    ${why}`);
console.log(`\n${count} instances, ${count - Object.keys(found).length} sound, ${Object.keys(found).length} defective`);
console.log(`false rejects: ${refused.length === 0 ? 'none' : refused.join(', ')}`);
console.log(`defective but accepted: ${accepted.length === 0 ? 'none' : accepted.join(', ')}`);
process.exitCode = refused.length + accepted.length === 0 ? 0 : 1;
