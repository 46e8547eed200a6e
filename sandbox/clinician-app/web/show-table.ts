import { element } from './element.ts';
import type { FindSource } from './find-sources.ts';
import type { Look } from './make-series.ts';
import { READ_BY_MACHINE, valueText, type Measurement } from './read-measurement.ts';
import { isAhead } from './time-of.ts';

const STATUS: Readonly<Record<string, string>> = {
  final: 'final',
  amended: 'amended after it was first written',
  corrected: 'amended after it was first written',
  preliminary: 'preliminary',
  registered: 'preliminary',
  'entered-in-error': 'withdrawn: entered in error',
  cancelled: 'withdrawn: cancelled',
};

export const statusText = ({ status, state }: Measurement): string =>
  state === 'withdrawn' && status === 'corrected'
    ? 'withdrawn by a correction'
    : (STATUS[status] ?? `status ${status}`);

/** Everything that the chart says of a value besides the value. */
export function saidOf(measurement: Measurement, now: Date): string {
  const { flags, notes, marks } = measurement;
  return [
    statusText(measurement),
    ...marks.filter((mark) => mark === READ_BY_MACHINE),
    ...(isAhead(measurement, now) ? ['Dated in the future: not drawn'] : []),
    ...flags,
    ...notes,
  ]
    .map((part) => part.replace(/\.$/, ''))
    .join('. ');
}

export interface Shown {
  readonly findSource: FindSource;
  readonly look: Look;
}

export function rowOf(measurement: Measurement, { findSource, look }: Shown, first: string): HTMLTableRowElement {
  const { state, bounds, details, readings, observation } = measurement;
  const value = [valueText(measurement), ...(readings.length === 0 ? [] : details)].join('; ');
  const range = bounds.map(({ text }) => text).join('; ');
  const shown = state === 'withdrawn' ? element('s', {}, value) : element('span', {}, value);
  return element(
    'tr',
    { class: state },
    element('th', { scope: 'row' }, first),
    element('td', {}, shown),
    element('td', {}, range === '' ? 'none given' : range),
    element('td', {}, saidOf(measurement, look.now)),
    element('td', {}, findSource(observation)),
  );
}

export function tableOf(caption: string, firstColumn: string, rows: readonly HTMLTableRowElement[]): HTMLTableElement {
  const heads = [firstColumn, 'Value', 'Reference range', 'Status', 'Source'];
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, ...rows),
  );
}

/** A table of its own scroll bar, which the keyboard reaches. Empty until somebody wants it. */
export const tableHolder = (id: string, label: string): HTMLElement => {
  const made = element('div', { id, class: 'table', tabindex: '0', role: 'group', 'aria-label': label });
  made.hidden = true;
  return made;
};
