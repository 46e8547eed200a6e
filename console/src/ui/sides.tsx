import { useState, type ReactNode } from 'react';
import { inWords, partName, partsOf } from '../words/parts.ts';
import { Time } from './time.tsx';

type Side = Readonly<Record<string, string>> | null;

/** Without these nobody knows what it is about. */
const ALWAYS: ReadonlySet<string> = new Set(['code', 'time', 'value', 'unit']);
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A part of what a resource says, as a person reads it. */
export function Said({ part, text }: { readonly part: string; readonly text: string }): ReactNode {
  if (part === 'time') {
    const times = text.split('/').map((at) => (INSTANT.test(at) ? <Time key={at} at={at} /> : at));
    return times.map((one, i) => (
      <span key={i}>
        {i === 0 ? '' : ' to '}
        {one}
      </span>
    ));
  }
  const lines = inWords(text).split('; ');
  return lines.length === 1 ? lines[0] : lines.map((line) => <div key={line}>{line}</div>);
}

function Cell({ side, part }: { readonly side: Side; readonly part: string }) {
  const text = side?.[part];
  if (text !== undefined) return <Said part={part} text={text} />;
  return <span className="quiet">{side === null ? 'not there' : 'nothing'}</span>;
}

/**
 * Two statements of the same thing, part by part; where they differ, a sign and not colour alone says so. On a narrow
 * screen the sides stand below the name of the part, so that each keeps its role by name.
 */
export function Sides({
  caption,
  left,
  right,
  names: [leftName, rightName],
}: {
  readonly caption: string;
  readonly left: Side;
  readonly right: Side;
  readonly names: readonly [string, string];
}) {
  const [isWhole, setWhole] = useState(false);
  const all = partsOf(left, right);
  const differs = (part: string): boolean => left !== null && right !== null && left[part] !== right[part];
  const shown = all.filter((part) => isWhole || ALWAYS.has(part) || differs(part));
  const hidden = all.length - shown.length;
  return (
    <div className="sides-of">
      <table className="sides" role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              Part
            </th>
            <th scope="col" role="columnheader">
              {leftName}
            </th>
            <th scope="col" role="columnheader">
              {rightName}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((part) => (
            <tr key={part} role="row" className={differs(part) ? 'differs' : undefined}>
              <th scope="row" role="rowheader">
                {partName(part)}
                {differs(part) ? <span className="differs-mark"> ≠ differs</span> : null}
              </th>
              <td role="cell">
                <Cell side={left} part={part} />
              </td>
              <td role="cell">
                <Cell side={right} part={part} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 || isWhole ? (
        <button type="button" className="plain quietly" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show ${hidden} more ${hidden === 1 ? 'part' : 'parts'}`}
        </button>
      ) : null}
    </div>
  );
}
