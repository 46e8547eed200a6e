/*
 * What a page of the documentation asks its reader to do, as steps that can be carried out. Pure: text in, steps out.
 *
 * Every ```sh block is a step. A comment on a line of its own says what a reader knows without it:
 *
 *   before a block
 *   <!-- not run: REASON -->               it cannot be carried out here
 *   <!-- background: waits for TEXT -->    it goes on in a terminal of its own, which knows nothing of
 *                                          the blocks before; TEXT says that it is ready
 *   <!-- repeat: N s -->                   it is repeated until the answer is the expected one, for N seconds at most
 *   <!-- exit: N -->                       it ends with this exit code (default: 0)
 *   <!-- file: PATH -->                    this block, of whichever language, is saved as a file
 *   after a block
 *   <!-- expect: REGEXP -->                what it prints matches
 *   ```output or ```json                   what it prints is this; see match-answer.ts
 *   anywhere
 *   <!-- interrupt: TEXT -->               Ctrl-C for the newest background block whose text holds TEXT
 */

export type Expected =
  | { readonly kind: 'lines'; readonly line: number; readonly text: string }
  | { readonly kind: 'json'; readonly line: number; readonly text: string }
  | { readonly kind: 'pattern'; readonly line: number; readonly text: string };

export interface RunStep {
  readonly kind: 'run';
  readonly line: number;
  readonly text: string;
  readonly exit: number;
  readonly repeatSeconds: number;
  readonly expected: readonly Expected[];
}

export type Step =
  | RunStep
  | { readonly kind: 'background'; readonly line: number; readonly text: string; readonly waitsFor: string }
  | { readonly kind: 'interrupt'; readonly line: number; readonly text: string }
  | { readonly kind: 'file'; readonly line: number; readonly text: string; readonly path: string }
  | { readonly kind: 'not-run'; readonly line: number; readonly text: string; readonly reason: string };

export interface Page {
  readonly steps: readonly Step[];
  /** What the page says to its runner that cannot be understood. Nothing of such a page is carried out. */
  readonly problems: readonly string[];
}

interface Fence {
  readonly kind: 'fence';
  readonly line: number;
  readonly language: string;
  readonly text: string;
}
interface Comment {
  readonly kind: 'comment';
  readonly line: number;
  readonly word: string;
  readonly text: string;
}

const SHELL = new Set(['sh', 'bash', 'shell']);
const BEFORE = new Set(['not run', 'background', 'repeat', 'exit', 'file']);
const WORDS = new Set([...BEFORE, 'expect', 'interrupt']);
const REPEAT_SECONDS_MAX = 300;

/** Fenced blocks and comments, in the order in which they stand. */
function readParts(markdown: string): (Fence | Comment)[] {
  const parts: (Fence | Comment)[] = [];
  const lines = markdown.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const opened = /^( *)(`{3,})([\w-]*)[^`]*$/.exec(lines[at] ?? '');
    if (opened !== null) {
      const [, indent = '', ticks = '', language = ''] = opened;
      const line = at + 1;
      const inside: string[] = [];
      for (at += 1; at < lines.length && (lines[at] ?? '').trim() !== ticks; at += 1) {
        const one = lines[at] ?? '';
        inside.push(one.startsWith(indent) ? one.slice(indent.length) : one.trimStart());
      }
      parts.push({ kind: 'fence', line, language, text: inside.join('\n') });
      continue;
    }
    const said = /^ *<!-- ([a-z ]+): (.*) -->$/.exec(lines[at] ?? '');
    if (said !== null) parts.push({ kind: 'comment', line: at + 1, word: said[1] ?? '', text: (said[2] ?? '').trim() });
  }
  return parts;
}

const numberOf = (said: Comment | undefined, form: RegExp): number | null => {
  const found = form.exec(said?.text ?? '')?.[1];
  return found === undefined ? null : Number(found);
};

/** A step of a block, by the comments that stand before it; a text where these make no sense. */
function parseFence({ line, language, text }: Fence, said: ReadonlyMap<string, Comment>): Step | string | null {
  const file = said.get('file');
  if (file !== undefined)
    return /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/.test(file.text)
      ? { kind: 'file', line, text: `${text}\n`, path: file.text }
      : `line ${file.line}: "${file.text}" is no path below the folder`;
  if (!SHELL.has(language)) {
    const [first] = said.values();
    return first === undefined ? null : `line ${first.line}: "${first.word}" stands before a block that is not sh`;
  }
  const reason = said.get('not run');
  if (reason !== undefined)
    return reason.text.length < 10
      ? `line ${reason.line}: why it is not run must be said`
      : { kind: 'not-run', line, text, reason: reason.text };
  const background = said.get('background');
  if (background !== undefined) {
    const waitsFor = /^waits for (.+)$/.exec(background.text)?.[1];
    return waitsFor === undefined
      ? `line ${background.line}: a background block "waits for" something`
      : { kind: 'background', line, text, waitsFor };
  }
  const [repeat, exit] = [said.get('repeat'), said.get('exit')];
  const repeatSeconds = repeat === undefined ? 0 : numberOf(repeat, /^(\d{1,3}) s$/);
  if (repeatSeconds === null || repeatSeconds > REPEAT_SECONDS_MAX)
    return `line ${repeat?.line ?? line}: "repeat" is a number of seconds, ${REPEAT_SECONDS_MAX} at most: "30 s"`;
  const code = exit === undefined ? 0 : numberOf(exit, /^(\d{1,3})$/);
  if (code === null) return `line ${exit?.line ?? line}: "exit" is a number`;
  return { kind: 'run', line, text, exit: code, repeatSeconds, expected: [] };
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'm').source !== '';
  } catch {
    return false;
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export function parsePage(markdown: string): Page {
  const steps: Step[] = [];
  const problems: string[] = [];
  let before = new Map<string, Comment>();
  /** Whether what comes next can be the answer to the last step. */
  let isAnswerable = false;

  const expect = (expected: Expected): void => {
    const last = steps.at(-1);
    if (last?.kind === 'run' && isAnswerable)
      steps[steps.length - 1] = { ...last, expected: [...last.expected, expected] };
    else if (last?.kind !== 'not-run' || !isAnswerable)
      problems.push(`line ${expected.line}: an answer without a block that was run before it`);
  };

  for (const part of readParts(markdown)) {
    const { line, text } = part;
    if (part.kind === 'comment') {
      if (!WORDS.has(part.word)) problems.push(`line ${line}: "${part.word}" means nothing to the runner`);
      else if (part.word === 'interrupt') steps.push({ kind: 'interrupt', line, text });
      else if (part.word !== 'expect') before.set(part.word, part);
      else if (isPattern(text)) expect({ kind: 'pattern', line, text });
      else problems.push(`line ${line}: this is no regular expression`);
      continue;
    }
    if (before.size === 0 && (part.language === 'output' || (part.language === 'json' && isAnswerable))) {
      if (part.language === 'json' && !isJson(text)) problems.push(`line ${line}: this is no JSON`);
      expect({ kind: part.language === 'json' ? 'json' : 'lines', line, text });
      continue;
    }
    const step = parseFence(part, before);
    before = new Map();
    isAnswerable = typeof step === 'object' && (step?.kind === 'run' || step?.kind === 'not-run');
    if (typeof step === 'string') problems.push(step);
    else if (step !== null) steps.push(step);
  }
  for (const left of before.values()) problems.push(`line ${left.line}: no block follows "${left.word}"`);
  for (const step of steps)
    if (step.kind === 'run' && step.repeatSeconds > 0 && step.expected.length === 0)
      problems.push(`line ${step.line}: repeated until what? An answer must follow`);
  return { steps, problems };
}
