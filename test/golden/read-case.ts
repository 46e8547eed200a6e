import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Mappings } from '../../src/mappings/index.ts';
import { translateByTemplates } from '../support/read-by-templates.ts';
import { makeLedger, problemsOf, saidBy, settingOf, type CaseOptions } from '../support/translate-steps.ts';

const HERE = new URL('./', import.meta.url);

/**
 * A case is a folder: `case.json` (options), `1.json`, `2.json` … (payloads in the order in which they come),
 * `expected.json`.
 */
export const CASES: readonly string[] = readdirSync(HERE, { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name)
  .sort();

export const fileOf = (name: string, file: string): URL => new URL(`${name}/${file}`, HERE);

interface CaseFile extends CaseOptions {
  readonly about: string;
}

export const readCase = (name: string): CaseFile =>
  JSON.parse(readFileSync(fileOf(name, 'case.json'), 'utf8')) as CaseFile;

function inputsOf(name: string): Buffer[] {
  const inputs: Buffer[] = [];
  for (let n = 1; existsSync(fileOf(name, `${n}.json`)); n += 1) inputs.push(readFileSync(fileOf(name, `${n}.json`)));
  return inputs;
}

/**
 * What becomes of the payloads of a case, step by step: what is wanted and what is written, as the bytes of
 * expected.json.
 */
export async function runCase(
  name: string,
  mappings: Mappings,
): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
  const setting = settingOf(mappings, { unmapped: 'leave-out', ...readCase(name) });
  const ledger = makeLedger();
  const problems: string[] = [];
  const steps = [];
  for (const [i, input] of inputsOf(name).entries()) {
    const translation = await translateByTemplates(input, setting);
    problems.push(...problemsOf(translation));
    const { patient, provenance, findings, trouble, leftOut } = translation;
    steps.push({
      trouble,
      findings,
      ...(leftOut.length === 0 ? {} : { leftOut: leftOut.map(({ at, why }) => ({ at, why })) }),
      patient: patient.resource,
      ...ledger(translation, setting, i + 1, saidBy(input)),
      provenance: provenance?.resource ?? null,
    });
  }
  return { text: `${JSON.stringify(steps, null, 2)}\n`, problems };
}
