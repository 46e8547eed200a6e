/** A text or a list or an object inside a JSON file, and the line where it begins. */
interface Found {
  readonly path: string;
  readonly line: number;
  /** The name under which a text stands; a name itself stands under none. */
  readonly key: string | null;
  readonly text: string | null;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[\n{}[\],]/g;

interface Frame {
  readonly path: string;
  /** Null inside an object. */
  index: number | null;
  key: string;
}

const inside = ({ path, index, key }: Frame): string =>
  index === null ? [path, key].filter((part) => part !== '').join('.') : `${path}[${index}]`;

/** Every text, list and object of a JSON file, in its order. Of a file that is not JSON, as far as it goes. */
function walk(json: string): Found[] {
  const found: Found[] = [];
  const frames: Frame[] = [{ path: '', index: null, key: '' }];
  let line = 1;
  const top = (): Frame => frames.at(-1) ?? { path: '', index: null, key: '' };
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const frame = top();
    if (token === '\n') line += 1;
    else if (token === ',') frame.index = frame.index === null ? null : frame.index + 1;
    else if (token === '}' || token === ']') frames.pop();
    else if (token === '{' || token === '[') {
      const path = inside(frame);
      found.push({ path, line, key: frame.key, text: null });
      frames.push({ path, index: token === '[' ? 0 : null, key: '' });
    } else {
      const text = token.slice(1, -1);
      const isName = frame.index === null && /^\s*:/.test(json.slice(index + token.length, index + token.length + 20));
      if (isName) frame.key = text;
      found.push({ path: isName ? '' : inside(frame), line, key: isName ? null : frame.key, text });
    }
  }
  return found;
}

/** What a row is known by in its file. */
const NAMING = ['code', 'name', 'kind', null];

/** The row of a key such as `weight/point`: its code, and behind it what it depends on. A code may hold a slash. */
function lineOfKey(found: readonly Found[], key: string): number | null {
  const parts = key.split('/');
  for (let count = parts.length; count > 0; count -= 1) {
    const code = parts.slice(0, count).join('/');
    const start = found.findIndex((one) => one.text === code && NAMING.includes(one.key));
    if (start < 0) continue;
    const when = parts.slice(count).join('/');
    const row = when === '' ? undefined : found.slice(start).find((one) => one.key === 'value' && one.text === when);
    return (row ?? found[start])?.line ?? null;
  }
  return null;
}

function lineOfPath(found: readonly Found[], path: string): number | null {
  const lines = new Map(found.map((one) => [one.path, one.line]));
  for (let at = path; at !== ''; at = at.replace(/(?:\.?[^.[\]]+|\[\d+\])$/, '')) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return null;
}

/**
 * Where in a file of the mapping data a problem stands: by what it says itself, by its path, or by the key of its row.
 * Null where it is about the whole file.
 */
export function makeFindLine(json: string): (key: string | null, text: string) => number | null {
  const found = walk(json);
  return (key, text) => {
    const [, said] = /\(line (\d+), column \d+\)/.exec(text) ?? [];
    if (said !== undefined) return Number(said);
    const [, expression] = /^(?:ConceptMap|CodeSystem)\.(\S+)/.exec(text) ?? [];
    if (expression !== undefined) return lineOfPath(found, expression);
    if (key === null) return null;
    return lineOfPath(found, key) ?? lineOfKey(found, key);
  };
}
