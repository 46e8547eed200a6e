import { join } from 'node:path';
import { readDocument } from '../../src/judge/read-document.ts';
import { SHIPPED_FOLDER } from '../../src/mappings/index.ts';
import { parseLossless } from '../../src/r4/index.ts';
import { loadTemplates, makeRunTemplate } from '../../src/templates/index.ts';
import { translate, type Setting, type Translation } from '../../src/translate/index.ts';
import { DELIVERY, PATIENT } from './translate-steps.ts';

const templates = loadTemplates([join(SHIPPED_FOLDER, 'templates')]);
const runTemplate = makeRunTemplate({ timeMs: 20_000 });

/** As `translateText`, with the templates that come with the gateway. */
export async function translateByTemplates(text: string | Uint8Array, setting: Setting): Promise<Translation> {
  const value = parseLossless(typeof text === 'string' ? Buffer.from(text) : text);
  if (!value.ok) throw new Error(value.fault.rule);
  const payloads = { clientUuid: null, documentKey: 'bundle-id', labPath: null } as const;
  const read = await readDocument(value.value, {
    payloads,
    setting,
    templates,
    runTemplate,
    profiles: null,
    incomingProfiles: 'off',
  });
  if (!read.ok) throw new Error(`${read.fault.code} ${read.fault.at ?? ''}`);
  return translate({ ...read.value, patient: PATIENT, delivery: DELIVERY, setting });
}
