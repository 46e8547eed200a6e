import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, isObject, StartError } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';
import { checkExpression } from './check-expression.ts';
import type { Template, Templates } from './template.ts';

const TEXTS = ['dataStructure', 'description', 'source', 'reviewer', 'key'] as const;
const FIELDS: readonly string[] = [...TEXTS, 'resources'];

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** What is wrong with the shape of a file; nothing where `value` is a template as it stands on disk. */
function checkShape(value: unknown): string[] {
  if (!isObject(value)) return ['must hold one JSON object'];
  const { dataStructure, resources, ...others } = value;
  const object: Readonly<Record<string, unknown>> = { dataStructure, ...others };
  const problems = Object.keys(value)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => `${name} is no field of a template`);
  for (const name of TEXTS) if (!isText(object[name])) problems.push(`${name} must be text`);
  if (isText(dataStructure) && !/^[^\p{Cc}]{1,100}$/u.test(dataStructure)) problems.push('dataStructure is no name');
  if (!Array.isArray(resources) || resources.length === 0 || !resources.every((line) => typeof line === 'string'))
    problems.push('resources must be an array of lines of text');
  return problems;
}

type Stored = Record<(typeof TEXTS)[number], string> & { readonly resources: readonly string[] };

/** A site that wants none of a shipped template says so, and why. */
const isOff = (value: unknown): value is { readonly dataStructure: string } => {
  const { dataStructure, off, ...others } = (value ?? {}) as Record<string, unknown>;
  return isText(dataStructure) && isText(off) && Object.keys(others).length === 0;
};

interface Off {
  readonly off: string;
}

function readTemplate(folder: string, name: string, problems: string[]): Template | Off | null {
  const row = `${basename(folder)}/${name}`;
  const wrong = (found: readonly string[]): null => {
    problems.push(...found.map((one) => `${row}: ${one}`));
    return null;
  };
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, name));
  } catch (thrown) {
    return wrong([`cannot be read (${errorCode(thrown) ?? 'not readable'})`]);
  }
  const parsed = parseLossless(bytes);
  if (!parsed.ok) return wrong([parsed.fault.text]);
  if (isOff(parsed.value)) return { off: parsed.value.dataStructure };
  const misshapen = checkShape(parsed.value);
  // The expressions that are there are looked at all the same: all problems at once.
  const { key, resources } = (parsed.value ?? {}) as Partial<Record<string, unknown>>;
  const lines =
    Array.isArray(resources) && resources.every((line) => typeof line === 'string') ? resources.join('\n') : '';
  const found = [
    ...misshapen,
    ...(isText(key) ? checkExpression(key).map((one) => `key, ${one}`) : []),
    ...(lines === '' ? [] : checkExpression(lines).map((one) => `resources, ${one}`)),
  ];
  if (found.length > 0) wrong(found);
  if (misshapen.length > 0) return null;
  const { dataStructure, description, source, reviewer, key: keyText } = parsed.value as Stored;
  const version = createHash('sha256').update(bytes).digest('hex');
  return { row, dataStructure, description, source, reviewer, key: keyText, resources: lines, version };
}

/** Hidden files are none of ours: an editor's, or those by which Kubernetes mounts a folder. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && name !== 'README.md')
      .sort();
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return [];
    throw new StartError(
      'templates.folder',
      `The folder of templates cannot be read (${errorCode(thrown) ?? 'unknown'}).`,
      thrown,
    );
  }
}

interface Folder {
  readonly templates: Map<string, Template>;
  readonly off: ReadonlySet<string>;
}

function readFolder(folder: string, known: readonly string[], problems: string[]): Folder {
  const templates = new Map<string, Template>();
  const off = new Set<string>();
  for (const name of listFiles(folder)) {
    if (!name.endsWith('.json')) {
      problems.push(`${basename(folder)}/${name}: is no template; its name must end in .json`);
      continue;
    }
    const template = readTemplate(folder, name, problems);
    if (template === null) continue;
    if ('off' in template) {
      off.add(template.off);
      continue;
    }
    const { dataStructure, row } = template;
    const other = templates.get(dataStructure);
    if (known.includes(dataStructure)) problems.push(`${row}: the gateway reads ${dataStructure} by itself`);
    if (other === undefined) templates.set(dataStructure, template);
    else problems.push(`${row}: ${other.row} is for ${dataStructure} too`);
  }
  return { templates, off };
}

/**
 * Boot only: every template of these folders, checked; one of a later folder takes the place of an earlier one, or
 * switches it off. No folder, no templates. `known` are the structures that the gateway reads by itself: a template for
 * one of them would never run. Throws a StartError that lists every problem of every file.
 */
export function loadTemplates(folders: readonly string[], known: readonly string[] = []): Templates {
  const problems: string[] = [];
  const templates = new Map<string, Template>();
  for (const folder of folders) {
    const read = readFolder(folder, known, problems);
    for (const dataStructure of read.off) templates.delete(dataStructure);
    for (const [dataStructure, template] of read.templates) templates.set(dataStructure, template);
  }
  if (problems.length > 0)
    throw new StartError(
      'templates.invalid',
      `The templates need attention:\n${problems.map((one) => `  ${one}`).join('\n')}`,
    );
  return templates;
}
