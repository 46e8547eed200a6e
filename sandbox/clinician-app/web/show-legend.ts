import { element } from './element.ts';
import { svg } from './svg.ts';

/** A small drawing of what stands in a chart. */
export type Sign = 'line-0' | 'line-1' | 'line-2' | 'range' | 'ring';

export function signOf(sign: Sign): SVGSVGElement {
  const drawing = svg('svg', { class: 'sign', viewBox: '0 0 32 16', 'aria-hidden': 'true' });
  if (sign === 'range') drawing.append(svg('rect', { class: 'range', x: 1, y: 2, width: 30, height: 12 }));
  else if (sign === 'ring')
    drawing.append(
      svg('circle', { class: 'ring', cx: 16, cy: 8, r: 6 }),
      svg('path', { class: 'dot line-0', d: 'M16,8h0.01' }),
    );
  else
    drawing.append(
      svg('polyline', { class: `line ${sign}`, points: '1,8 31,8' }),
      svg('path', { class: `dot ${sign}`, d: 'M16,8h0.01' }),
    );
  return drawing;
}

const item = (sign: Node, words: string): HTMLElement => element('li', {}, sign, element('span', {}, words));
const mark = (kind: string, words: string): HTMLElement => element('strong', { class: `mark ${kind}`.trim() }, words);

/** What colours and marks mean. Each of them also stands in words wherever it is used. */
export function showLegend(): HTMLElement {
  return element(
    'details',
    { class: 'legend', id: 'legend' },
    element('summary', {}, 'Legend', element('span', {}, ': colours and marks')),
    element(
      'ul',
      {},
      item(
        signOf('line-0'),
        'Values that hold, joined in the order of their times. The right edge is the end of today.',
      ),
      item(signOf('line-1'), 'A second part of the same measurement, such as the diastolic pressure.'),
      item(signOf('range'), 'The reference range that all drawn values have in common.'),
      item(signOf('ring'), 'Amended after it was first written.'),
      item(mark('outside', 'High'), 'Out of range, as the source or the reference range of the value says.'),
      item(
        mark('caution', 'Preliminary'),
        'To be known before the value is used: preliminary, amended, read by machine.',
      ),
      item(mark('', 'Last value 12 days ago'), 'Nothing newer is in the chart.'),
      item(element('s', {}, '27.4 kg'), 'Withdrawn: in no chart, in tables struck through.'),
    ),
  );
}
