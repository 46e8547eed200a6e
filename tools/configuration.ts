/*
 * `npm run configuration`: writes the tables of docs/configuration.md from the settings as the program knows them. What
 * stands before the first table is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { KEYS, type Key } from '../src/config/index.ts';

const FILE = 'docs/configuration.md';

/** Each section begins with its first setting, in the order of KEYS, and ends with the next one. */
const SECTIONS: Readonly<Record<string, string>> = {
  CHARTGATE_CONFIG: 'The process and where it listens',
  CHARTGATE_OTLP_URL: 'Traces and metrics over OTLP',
  CHARTGATE_ENVIRONMENT: 'What it does with what comes',
  CHARTGATE_DATABASE_URL: 'Store and keys',
  CHARTGATE_EHR_URL: 'The EHR',
  CHARTGATE_MRN_SYSTEM: 'Patients',
  CHARTGATE_CLIENT_UUID: 'Webhooks of the source',
  CHARTGATE_ADMIN_TOKEN: 'Operators',
  CHARTGATE_READ_PATIENTS: 'What apps may read, subscribe to and export',
  CHARTGATE_SIGN_IN_ISSUER: 'Who signs in to apps',
  CHARTGATE_AUTH_ISSUER: 'An authorization server of your own',
  CHARTGATE_SOURCE_URL: 'Asking the source: enrolment',
  CHARTGATE_ON_REVOKE: 'Revocation and retention',
  CHARTGATE_DIALECT: 'Translation and validation',
};

const HEAD = ['| key | type | default | since | meaning |', '|---|---|---|---|---|'];

const rowOf = (name: string, { type, standard, since, about, isSecret }: Key): string =>
  `| \`${name}\`${isSecret === true ? ' *' : ''} | ${type} | ${standard === null ? '' : `\`${standard}\``} | ${since} | ${about} |`;

/** The sections with their tables, as the page has them. */
export const settingsTables = (): string =>
  Object.entries<Key>(KEYS)
    .flatMap(([name, key]) => {
      const section = SECTIONS[name];
      return [...(section === undefined ? [] : ['', `## ${section}`, '', ...HEAD]), rowOf(name, key)];
    })
    .join('\n')
    .concat('\n');

/** What is written by hand, up to the first section. */
export const textBefore = (page: string): string => page.slice(0, Math.max(0, page.indexOf('\n## ')));

if (import.meta.main) {
  const page = readFileSync(FILE, 'utf8');
  writeFileSync(FILE, `${textBefore(page)}${settingsTables()}`);
  console.log(`${FILE}: ${Object.keys(KEYS).length} settings`);
}
