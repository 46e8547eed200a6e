import { drawChart } from './draw-chart.ts';
import { button, element } from './element.ts';
import type { FindSource } from './find-sources.ts';
import { summaryOf, type Series } from './make-series.ts';
import { valueText, type Measurement } from './read-measurement.ts';

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
  state === 'withdrawn' && status === 'corrected' ? 'withdrawn by a correction' : (STATUS[status] ?? `status ${status}`);

export function rowOf(measurement: Measurement, findSource: FindSource, first: string): HTMLTableRowElement {
  const { state, bounds, flags, notes, observation } = measurement;
  const value = valueText(measurement);
  const range = bounds.map(({ text }) => text).join('; ');
  const shown = state === 'withdrawn' ? element('s', {}, value) : element('span', {}, value);
  const said = [statusText(measurement), ...flags, ...notes].join('. ');
  return element(
    'tr',
    { class: state },
    element('th', { scope: 'row' }, first),
    element('td', {}, shown),
    element('td', {}, range === '' ? 'none given' : range),
    element('td', {}, said),
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

function keyOf({ lines, bounds, withdrawn }: Series): string {
  const drawn = lines
    .filter(({ name }) => name !== '')
    .map(({ name }, i) => `${['Blue', 'Brown', 'Green'][i % 3] ?? ''}: ${name}`);
  return [
    ...drawn,
    ...(bounds === null ? [] : [`Green area: reference range ${bounds.text}`]),
    ...(lines.some(({ amended }) => amended.some((value) => value !== null)) ? ['Ring: amended'] : []),
    ...(withdrawn === 0 ? [] : [`${withdrawn} withdrawn, in the table only`]),
  ].join('. ');
}

/** One kind of measurement: its chart, what the chart says in words, and the table of all its values. */
export function showSeries(series: Series, findSource: FindSource, n: number): { card: HTMLElement; draw: () => () => void } {
  const { title, about, unit, rows, times } = series;
  const [newest] = rows.filter(({ state }) => state !== 'withdrawn');
  const tableId = `table-${n}`;
  const place = element('div', { class: 'chart', role: 'img', 'aria-label': summaryOf(series) });
  const holder = element('div', {
    id: tableId,
    class: 'table',
    tabindex: '0',
    role: 'region',
    'aria-label': `Values of ${title}`,
  });
  holder.hidden = true;
  const toggle = button('Show values', () => {
    if (holder.childElementCount === 0)
      holder.append(
        tableOf(
          `${title}, ${rows.length} values, newest first`,
          'Date',
          rows.map((row) => rowOf(row, findSource, row.when)),
        ),
      );
    holder.hidden = !holder.hidden;
    toggle.setAttribute('aria-expanded', String(!holder.hidden));
    toggle.textContent = holder.hidden ? 'Show values' : 'Hide values';
  });
  toggle.setAttribute('aria-expanded', 'false');
  toggle.setAttribute('aria-controls', tableId);
  toggle.setAttribute('aria-label', `Values of ${title}`);
  const key = keyOf(series);
  const card = element(
    'article',
    { class: 'card', 'data-title': title },
    element('h3', {}, title, ...(unit === '' ? [] : [element('small', {}, ` ${unit}`)])),
    element('p', { class: 'about' }, about),
    element(
      'p',
      { class: 'latest' },
      newest === undefined ? 'All values were withdrawn.' : `Latest: ${valueText(newest)} on ${newest.when}`,
    ),
    ...(times.length > 0 ? [place] : [element('p', {}, 'Nothing to draw: see the values.')]),
    ...(key === '' ? [] : [element('p', { class: 'key' }, key)]),
    toggle,
    holder,
  );
  return { card, draw: () => (times.length > 0 ? drawChart(place, series) : () => undefined) };
}
