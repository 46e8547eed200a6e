import { drawChart } from './draw-chart.ts';
import { button, element } from './element.ts';
import type { FindSource } from './find-sources.ts';
import { summaryOf, type Look, type Series } from './make-series.ts';
import { isAbout, type Alert } from './read-alert.ts';
import { READ_BY_MACHINE, valueText, type Measurement } from './read-measurement.ts';
import { ageText, isAhead } from './time-of.ts';

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

function keyOf({ lines, bounds, withdrawn, ahead }: Series): string {
  const drawn = lines
    .filter(({ name }) => name !== '')
    .map(({ name }, i) => `${['Blue', 'Brown', 'Green'][i % 3] ?? ''}: ${name}`);
  return [
    ...drawn,
    ...(bounds === null ? [] : [`Green area: reference range ${bounds.text}`]),
    ...(lines.some(({ amended }) => amended.some((value) => value !== null)) ? ['Ring: amended'] : []),
    ...(withdrawn === 0 ? [] : [`${withdrawn} withdrawn, in the table only`]),
    ...(ahead === 0 ? [] : [`${ahead} dated in the future, in the table only`]),
  ].join('. ');
}

/** Two days without a value are worth saying: whoever looks at a chart takes its last point for now. */
const OLD_DAYS = 2;

/** The newest value, with all that must be known before it is used, in words. */
function headlineOf({ latest, latestDaysAgo, rows }: Series, now: Date): HTMLElement[] {
  if (latest === null)
    return [
      element(
        'p',
        { class: 'latest' },
        rows.every(({ state }) => state === 'withdrawn')
          ? 'All values were withdrawn.'
          : 'No value of today or before.',
      ),
    ];
  const isOld = latestDaysAgo !== null && latestDaysAgo >= OLD_DAYS;
  const marks = [...latest.marks, ...latest.flags, ...(isOld ? [`Last value ${ageText(latest, now)}`] : [])];
  const others = rows.filter((row) => row !== latest && row.state !== 'withdrawn' && row.notes.length > 0).length;
  return [
    element(
      'p',
      { class: 'latest' },
      'Latest: ',
      element('b', {}, valueText(latest)),
      ` on ${latest.when}${isOld ? '' : `, ${ageText(latest, now)}`}`,
      ...marks.flatMap((mark) => [' ', element('strong', { class: 'mark' }, mark)]),
    ),
    ...latest.notes.map((note) => element('p', { class: 'note' }, `Note: ${note}`)),
    ...(others === 0
      ? []
      : [
          element(
            'p',
            { class: 'about' },
            `${others} other ${others === 1 ? 'value carries' : 'values carry'} a note, in the table.`,
          ),
        ]),
  ];
}

function alertsOf({ rows: [newest] }: Series, alerts: readonly Alert[]): HTMLElement[] {
  const count = newest === undefined ? 0 : alerts.filter((alert) => isAbout(alert, newest)).length;
  if (count === 0) return [];
  const words = `${count} ${count === 1 ? 'alert' : 'alerts'} on such values in this time`;
  return [element('p', { class: 'about' }, element('a', { href: '#alerts' }, words))];
}

/** One kind of measurement: its chart, what the chart says in words, and the table of all its values. */
export function showSeries(
  series: Series,
  shown: Shown & { readonly alerts: readonly Alert[] },
  n: number,
): { card: HTMLElement; draw: () => () => void } {
  const { title, about, unit, rows, times, latest } = series;
  const { days, now } = shown.look;
  const tableId = `table-${n}`;
  const place = element('div', { class: 'chart', role: 'img', 'aria-label': summaryOf(series, now) });
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
          `${title}, ${rows.length} ${rows.length === 1 ? 'value' : 'values'}, newest first`,
          'Date',
          rows.map((row) => rowOf(row, shown, row.when)),
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
  const context = (latest ?? rows[0])?.context.words ?? '';
  const nothing =
    latest !== null && days !== null && (series.latestDaysAgo ?? 0) >= days
      ? `No value in the last ${days} days.`
      : 'Nothing to draw: see the values.';
  const card = element(
    'article',
    { class: 'card', 'data-title': title },
    element('h3', {}, title, ...(unit === '' ? [] : [element('small', {}, ` ${unit}`)])),
    element(
      'p',
      { class: 'about' },
      [about, title.endsWith(context) ? '' : context].filter((part) => part !== '').join('. '),
    ),
    ...headlineOf(series, now),
    ...alertsOf(series, shown.alerts),
    ...(times.length > 0 ? [place] : [element('p', { class: 'nothing' }, nothing)]),
    ...(key === '' ? [] : [element('p', { class: 'key' }, key)]),
    toggle,
    holder,
  );
  return { card, draw: () => (times.length > 0 ? drawChart(place, series) : () => undefined) };
}
