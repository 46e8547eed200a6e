/**
 * Line and column, from 1, of a place in an expression. JSONata counts characters and points behind what it speaks of.
 */
export function placeOf(text: string, position: unknown): string {
  const before = text.slice(0, typeof position === 'number' ? position : 0);
  const line = before.split('\n').length;
  return `line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}
