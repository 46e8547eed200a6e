import { errorCode, isObject } from '../kernel/index.ts';
import { isKeyName, KEYS, type Key, type KeyName, type Settled, type Values } from './keys.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type ReadText = (path: string) => string;

/** What is wrong with one setting. Never holds the value itself: it may be a secret. */
export interface Problem {
  readonly key: string;
  readonly text: string;
}

const PREFIX = 'CHARTGATE_';
const isSecret = ({ isSecret: is }: Key): boolean => is === true;
const reason = (thrown: unknown): string => errorCode(thrown) ?? 'not readable';

export function readFileKeys(env: Environment, readText: ReadText, problems: Problem[]): Record<string, string> {
  const path = env['CHARTGATE_CONFIG'];
  if (path === undefined || path === '') return {};
  const wrong = (text: string): Record<string, string> => {
    problems.push({ key: 'CHARTGATE_CONFIG', text });
    return {};
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(readText(path));
  } catch (thrown) {
    return wrong(
      thrown instanceof SyntaxError ? 'the file is not JSON' : `the file cannot be read (${reason(thrown)})`,
    );
  }
  if (!isObject(parsed)) return wrong('the file must hold one JSON object');
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (!name.startsWith(PREFIX))
      problems.push({ key: name, text: `is no setting (in the file that CHARTGATE_CONFIG names)` });
    else if (typeof value === 'string' || typeof value === 'number') out[name] = String(value);
    else problems.push({ key: name, text: 'must be text or a number in the configuration file' });
  }
  return out;
}

/** The text of each setting, secrets from their files included. */
function gather(given: Environment, readText: ReadText, problems: Problem[]): Map<KeyName, string> {
  const texts = new Map<KeyName, string>();
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith(PREFIX) || value === undefined || value === '') continue;
    if (isKeyName(name)) {
      texts.set(name, value);
      continue;
    }
    const base = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : '';
    if (!isKeyName(base) || !isSecret(KEYS[base])) {
      problems.push({ key: name, text: 'is no setting; check its spelling' });
      continue;
    }
    const direct = given[base];
    if (direct !== undefined && direct !== '') {
      problems.push({ key: name, text: `is given together with ${base}; give one of them` });
      continue;
    }
    try {
      texts.set(base, readText(value).trim());
    } catch (thrown) {
      problems.push({ key: name, text: `the file cannot be read (${reason(thrown)})` });
    }
  }
  return texts;
}

/** Every setting, parsed, with all problems of all settings in `problems`. */
export function readValues(env: Environment, readText: ReadText, problems: Problem[]): Values {
  // An empty value in the environment says nothing; NAME_FILE there wins over NAME in the file as NAME itself would.
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const taken = new Set(given.map(([name]) => name.replace(/_FILE$/, '')));
  const fromFile = Object.entries(readFileKeys(env, readText, problems)).filter(
    ([name]) => !taken.has(name.replace(/_FILE$/, '')),
  );
  const texts = gather(Object.fromEntries([...fromFile, ...given]), readText, problems);
  const values: Partial<Record<KeyName, unknown>> = {};
  for (const name of Object.keys(KEYS).filter(isKeyName)) {
    const key: Key = KEYS[name];
    const text = texts.get(name) ?? key.standard ?? undefined;
    if (text === undefined) continue;
    const parsed = key.read.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else for (const issue of parsed.error.issues) problems.push({ key: name, text: issue.message });
  }
  // Each value came out of the schema of its own key.
  return values as Values;
}

/** Called once nothing was refused: then what has a standard value was read from it at least. */
export const settle = (values: Values): Settled => values as Settled;
