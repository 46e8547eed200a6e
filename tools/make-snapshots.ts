/* Writes HAPI's snapshot into StructureDefinitions of our own guides, as a publisher of guides would. */
import { readFileSync, writeFileSync } from 'node:fs';
import { isObject } from './judge/json-sites.ts';
import { ownGuideFolders } from './judge/guides.ts';
import { startJudge } from './judge/start-judge.ts';

const HELP = `Usage: node tools/make-snapshots.ts FILE…

Gives each StructureDefinition of test/fixtures/guides that is named the snapshot which HAPI makes of its differential.
Needs Java and Maven.
`;

async function main(files: readonly string[]): Promise<number> {
  if (files.length === 0 || files.includes('--help')) {
    console.log(HELP);
    return files.length === 0 ? 2 : 0;
  }
  const judge = await startJudge({ guides: ownGuideFolders(), say: (line) => console.error(line) });
  let refused = 0;
  try {
    for (const file of files) {
      const { snapshot: _old, differential, ...head } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      const { structure, failed } = await judge.ask({ snapshotOf: String(head['url']) });
      const snapshot = isObject(structure) ? structure['snapshot'] : undefined;
      if (!isObject(snapshot)) {
        refused += 1;
        console.error(`${file}: ${failed ?? 'no snapshot'}`);
        continue;
      }
      writeFileSync(file, `${JSON.stringify({ ...head, snapshot, differential }, null, 2)}\n`);
    }
  } finally {
    await judge.stop();
  }
  return refused === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
