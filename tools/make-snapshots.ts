/* Writes HAPI's snapshot into StructureDefinitions of our own guides, as a publisher of guides would. */
import { readFileSync, writeFileSync } from 'node:fs';
import { isObject, type Json } from './judge/json-sites.ts';
import { ownGuideFolders } from './judge/guides.ts';
import { startJudge } from './judge/start-judge.ts';

const HELP = `Usage: node tools/make-snapshots.ts FILE…

Gives each StructureDefinition of test/fixtures/guides that is named the snapshot which HAPI makes of its differential.
Needs Java and Maven.
`;

/** Texts for readers of the specification: nothing is judged by them, and they are most of a snapshot. */
const FOR_READERS = [
  'short',
  'definition',
  'comment',
  'requirements',
  'alias',
  'mapping',
  'example',
  'isModifierReason',
  'meaningWhenMissing',
  'orderMeaning',
];

function withoutTexts(element: Json): Json {
  if (!isObject(element)) return element;
  const kept = Object.fromEntries(Object.entries(element).filter(([name]) => !FOR_READERS.includes(name)));
  const constraints = kept['constraint'];
  if (!Array.isArray(constraints)) return kept;
  // XPath is for XML.
  const constraint = constraints.map((one): Json => {
    const { xpath: _xpath, ...rest } = isObject(one) ? one : {};
    return rest;
  });
  return { ...kept, constraint };
}

/** A line for each element, so that a change is seen. */
function write(structure: Record<string, unknown>): string {
  const lists = ['snapshot', 'differential'] as const;
  const head = Object.entries(structure).filter(([name]) => !lists.some((list) => list === name));
  const lines = head.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  for (const list of lists) {
    const view = structure[list];
    const elements = isObject(view) && Array.isArray(view['element']) ? view['element'] : [];
    lines.push(`  "${list}": { "element": [\n    ${elements.map((one) => JSON.stringify(one)).join(',\n    ')}\n  ] }`);
  }
  return `{\n${lines.join(',\n')}\n}\n`;
}

async function main(files: readonly string[]): Promise<number> {
  if (files.length === 0 || files.includes('--help')) {
    console.log(HELP);
    return files.length === 0 ? 2 : 0;
  }
  const judge = await startJudge({ guides: ownGuideFolders(), say: (line) => console.error(line) });
  let refused = 0;
  try {
    for (const file of files) {
      const {
        snapshot: _old,
        differential,
        ...head
      } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      const { structure, failed } = await judge.ask({ snapshotOf: String(head['url']) });
      const snapshot = isObject(structure) ? structure['snapshot'] : undefined;
      if (!isObject(snapshot) || !Array.isArray(snapshot['element'])) {
        refused += 1;
        console.error(`${file}: ${failed ?? 'no snapshot'}`);
        continue;
      }
      const element = snapshot['element'].map(withoutTexts);
      writeFileSync(file, write({ ...head, snapshot: { element }, differential }));
    }
  } finally {
    await judge.stop();
  }
  return refused === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
