import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { askJson } from './ask-json.ts';
import { prepareBundle, Transaction, type Patient } from './prepare-bundle.ts';

const Metadata = z.object({ rest: z.array(z.object({ resource: z.array(z.object({ type: z.string() })) })) });

/** Sends every transaction of the folder to the EHR; tells who was in them. */
export async function loadPatients(
  ehr: string,
  folder: string,
  mrnSystem: string,
  say: (line: string) => void,
): Promise<Patient[]> {
  const { rest } = Metadata.parse(await askJson('GET', `${ehr}/metadata`));
  const kept = new Set(rest.flatMap(({ resource }) => resource.map(({ type }) => type)));
  const all: Patient[] = [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const file of files.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const given = Transaction.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    const { bundle, patients, leftOut } = prepareBundle(given, kept, mrnSystem);
    await askJson('POST', ehr, { body: bundle, headers: { 'content-type': 'application/fhir+json' } });
    say(
      `${file}: ${bundle.entry.length} resources of ${patients.map(({ id }) => id).join(', ')}` +
        (leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}, which the EHR does not keep`),
    );
    all.push(...patients);
  }
  return all;
}
