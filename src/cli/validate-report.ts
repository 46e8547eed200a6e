import type { Issue } from '../r4/index.ts';

/** What became of one resource. */
export type Judged =
  | {
      readonly state: 'valid' | 'invalid';
      readonly file: string;
      readonly line: number | null;
      readonly issues: readonly Issue[];
    }
  | { readonly state: 'unreadable'; readonly file: string; readonly line: number | null; readonly problem: string };

const place = ({ file, line }: Judged): string => (line === null ? file : `${file}:${line}`);

function asText(judged: Judged): string {
  if (judged.state === 'unreadable') return `${place(judged)} ${judged.problem}\n`;
  if (judged.issues.length === 0) return judged.line === null ? `${place(judged)} is valid\n` : '';
  const lines = judged.issues.map(
    ({ severity, rule, expression, text, profile }) =>
      `  ${severity} ${expression || 'text'} [${rule}]${profile === undefined ? '' : ` of ${profile}`}\n    ${text}`,
  );
  return `${place(judged)} is ${judged.state}\n${lines.join('\n')}\n`;
}

function asJson(judged: Judged): string {
  const { file, line } = judged;
  const where = line === null ? { file } : { file, line };
  if (judged.state === 'unreadable') return `${JSON.stringify({ ...where, error: judged.problem })}\n`;
  return `${JSON.stringify({ ...where, valid: judged.state === 'valid', issues: judged.issues })}\n`;
}

/** Valid lines of NDJSON are silent in text: a million of them would hide the one that is not. */
export const formatResult = (judged: Judged, form: 'text' | 'json'): string =>
  form === 'json' ? asJson(judged) : asText(judged);
