import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askPerson, loadConfig, type Environment, type Terminal } from '../../src/embed.ts';
import { DEMO_MRN_SYSTEM } from '../index.ts';

/** An EHR that the settings name and that is not the demonstration's own. */
export interface ForeignEhr {
  readonly url: string;
  readonly mode: 'live' | 'shadow';
  readonly mrnSystem: string;
}

/** Null where the demonstration's own EHR is meant. Throws a ConfigError where the settings are not sound. */
export function findForeignEhr(env: Environment, ownPort: number): ForeignEhr | null {
  // Keys are made later, in a folder that depends on the answer.
  const keys = Object.fromEntries(
    ['CHARTGATE_DATA_KEY', 'CHARTGATE_AUDIT_KEY', 'CHARTGATE_PSEUDONYM_KEY'].map((name) => [
      name,
      randomBytes(32).toString('base64'),
    ]),
  );
  const { ehr, deliver, identity } = loadConfig(
    'demo',
    { CHARTGATE_MRN_SYSTEM: DEMO_MRN_SYSTEM, ...keys, ...env },
    (path) => readFileSync(path, 'utf8'),
  );
  if (ehr.url === '') return null;
  const { hostname, port } = new URL(ehr.url);
  if (['localhost', '127.0.0.1'].includes(hostname) && port === String(ownPort)) return null;
  return { url: ehr.url, mode: deliver.mode, mrnSystem: identity.mrnSystem };
}

/** What was written to one EHR says nothing of another, so each has a database of its own. */
export function folderOf(data: string, { url }: ForeignEhr): string {
  const { host } = new URL(url);
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 8);
  return join(data, `foreign-${host.replace(/[^A-Za-z0-9.-]/g, '-')}-${digest}`);
}

/**
 * `write`: invented patients and their data are added to it. `read`: the people live, and in shadow mode nothing of
 * them is written. `none`: nobody lives. `stopped`: the process is to end.
 */
export type ForeignUse = 'write' | 'read' | 'none' | 'stopped';

const says = (
  { url }: ForeignEhr,
  users: number,
): string => `CHARTGATE_EHR_URL names an EHR that is not the demonstration's own:

  ${url}

The demonstration would add ${users} invented ${users === 1 ? 'patient' : 'patients'} to it (MRN system ${DEMO_MRN_SYSTEM}) and write their invented
measurements into those charts: thousands of resources, and more for as long as it runs. It does not take them away again.
`;

const WITHOUT = 'Nothing invented is written to it. The demonstration starts without simulated people.\n';

/**
 * Invented data go to an EHR that is not ours only when a person has said so: by the flag, or in answer to a question.
 */
export async function decideForeignUse(
  foreign: ForeignEhr,
  users: number,
  consent: 'given' | 'to-be-asked' | 'not-given',
  terminal: Terminal,
): Promise<ForeignUse> {
  const { stderr } = terminal;
  if (foreign.mrnSystem !== DEMO_MRN_SYSTEM) {
    // There the demonstration's numbers may be those of people who exist.
    stderr.write(
      `CHARTGATE_MRN_SYSTEM is not the demonstration's (${DEMO_MRN_SYSTEM}), so its numbers may be those of real patients. ${WITHOUT}`,
    );
    return 'none';
  }
  if (foreign.mode === 'shadow') return 'read';
  if (consent === 'given') return 'write';
  if (consent === 'not-given') {
    stderr.write(`${says(foreign, users)}Give --write-to-foreign-ehr to allow that. ${WITHOUT}`);
    return 'none';
  }
  const answer = await askPerson(`${says(foreign, users)}Write to it? [y/N] `, terminal);
  if (answer === null) return 'stopped';
  if (/^\s*y(es)?\s*$/i.test(answer)) return 'write';
  stderr.write(WITHOUT);
  return 'none';
}
