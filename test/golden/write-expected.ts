/**
 * Writes expected.json of the named cases, or of all. Run it after a deliberate change, and read the difference before
 * committing.
 */
import { writeFileSync } from 'node:fs';
import { standardMappings } from '../support/standard-mappings.ts';
import { CASES, fileOf, runCase } from './read-case.ts';

const wanted = process.argv.slice(2);
for (const name of CASES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { text, problems } = await runCase(name, standardMappings());
  writeFileSync(fileOf(name, 'expected.json'), text);
  process.stdout.write(
    `${name}${problems.length === 0 ? '' : `: ${problems.length} problems\n  ${problems.join('\n  ')}`}\n`,
  );
}
