import { drawChart } from './draw-chart.ts';
import { button, element, toggleOf } from './element.ts';
import { summaryOf, type Series } from './make-series.ts';
import type { Alert } from './read-alert.ts';
import { saysMachine, valueText, type Measurement } from './read-measurement.ts';
import { signOf, type Sign } from './show-legend.ts';
import { rowOf, tableHolder, tableOf, type Shown } from './show-table.ts';
import { alertsOn, concernOf } from './sort-series.ts';
import { sparkLine } from './spark-line.ts';
import { ageText } from './time-of.ts';

export interface ShownSeries extends Shown {
  readonly alerts: readonly Alert[];
  /** The keys of the series that are open; they stay so when the page is shown anew. */
  readonly open: Set<string>;
  /** Whether the tile says which group it is of. */
  readonly naming: 'with-group' | 'alone';
}

export interface Tile {
  readonly article: HTMLElement;
  /** Draws what is open: only in the page does a place have a width. */
  draw(): void;
  undraw(): void;
}

function keyOf({ lines, bounds, withdrawn, ahead }: Series): HTMLElement[] {
  const isAmended = lines.some(({ amended }) => amended.some((value) => value !== null));
  const drawn: (readonly [Sign | null, string])[] = [
    ...lines.flatMap(({ name }, i) => (name === '' ? [] : [[`line-${i % 3}` as Sign, name] as const])),
    ...(bounds === null ? [] : [['range', `reference range ${bounds.text}`] as const]),
    ...(isAmended ? [['ring', 'amended'] as const] : []),
    ...(withdrawn === 0 ? [] : [[null, `${withdrawn} withdrawn, in the table only`] as const]),
    ...(ahead === 0 ? [] : [[null, `${ahead} dated in the future, in the table only`] as const]),
  ];
  if (drawn.length === 0) return [];
  const items = drawn.map(([sign, words]) => element('li', {}, ...(sign === null ? [] : [signOf(sign)]), words));
  return [element('ul', { class: 'key' }, ...items)];
}

/** Two days without a value are worth saying: whoever looks at a chart takes its last point for now. */
const OLD_DAYS = 2;

/** The number large, its unit small; words as they are. */
function valueOf(measurement: Measurement): HTMLElement {
  const text = valueText(measurement);
  const { readings, unit } = measurement;
  if (readings.length === 0) return element('b', { class: 'words' }, text);
  return unit !== '' && text.endsWith(` ${unit}`)
    ? element('b', {}, text.slice(0, -unit.length - 1), element('small', {}, ` ${unit}`))
    : element('b', {}, text);
}

const noteOf = (note: string): HTMLElement => element('p', { class: 'note' }, `Note: ${note}`);

/**
 * The newest value, with all that must be known before it is used, in words. That a machine has read it is a mark; the
 * note that says so stands once above the tiles, and again in what the tile opens.
 */
function headlineOf({ latest, latestDaysAgo, rows }: Series, now: Date): HTMLElement[] {
  if (latest === null)
    return [
      element(
        'p',
        { class: 'latest none' },
        rows.every(({ state }) => state === 'withdrawn')
          ? 'All values were withdrawn.'
          : 'No value of today or before.',
      ),
    ];
  const isOld = latestDaysAgo !== null && latestDaysAgo >= OLD_DAYS;
  const marks: (readonly [kind: string, words: string])[] = [
    ...latest.marks.map((words) => ['caution', words] as const),
    ...latest.flags.map((words) => ['outside', words] as const),
    ...(isOld ? [['', `Last value ${ageText(latest, now)}`] as const] : []),
  ];
  const others = rows.filter((row) => row !== latest && row.state !== 'withdrawn' && row.notes.length > 0).length;
  return [
    element(
      'p',
      { class: 'latest' },
      element('span', { class: 'unseen' }, 'Latest: '),
      valueOf(latest),
      element(
        'span',
        { class: 'meta' },
        element('span', { class: 'when' }, ` on ${latest.when}${isOld ? '' : `, ${ageText(latest, now)}`}`),
        ...marks.flatMap(([kind, words]) => [' ', element('strong', { class: `mark ${kind}`.trim() }, words)]),
      ),
    ),
    ...latest.notes.filter((note) => !saysMachine(note)).map(noteOf),
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

function alertLink(count: number): HTMLElement[] {
  if (count === 0) return [];
  const words = `${count} ${count === 1 ? 'alert' : 'alerts'} on such values in this time`;
  return [element('p', { class: 'about alerted' }, element('a', { href: '#alerts' }, words))];
}

function tableOn({ title, rows }: Series, shown: Shown, id: string): HTMLElement[] {
  const holder = tableHolder(`${id}-table`, `Table of ${title}`);
  const toggle = toggleOf(`${id}-values`, `Values of ${title}`, holder, (isOpen) => {
    if (!isOpen || holder.childElementCount > 0) return;
    holder.append(
      tableOf(
        `${title}, ${rows.length} ${rows.length === 1 ? 'value' : 'values'}, newest first`,
        'Date',
        rows.map((row) => rowOf(row, shown, row.when)),
      ),
    );
  });
  return [toggle, holder];
}

/** One kind of measurement: a tile with its newest value, which opens its chart, its key and the table of all values. */
export function showSeries(series: Series, shown: ShownSeries, id: string): Tile {
  const { key, title, about, group, rows, times, latest } = series;
  const { days, now } = shown.look;
  const isDrawn = times.length > 0;
  const context = (latest ?? rows[0])?.context.words ?? '';
  const place = element('div', { class: 'chart', role: 'img', 'aria-label': summaryOf(series, now) });
  const detail = element('div', { class: 'detail', id: `${id}-detail` });
  let stop: (() => void) | null = null;

  const undraw = (): void => {
    stop?.();
    stop = null;
  };
  const draw = (): void => {
    if (detail.hidden || stop !== null || !isDrawn || !place.isConnected) return;
    stop = drawChart(place, series);
  };
  const fill = (): void => {
    const close = button('Close', () => {
      toggle.click();
      toggle.focus();
    });
    close.append(element('span', { class: 'unseen' }, ` ${title}`));
    const said = [about, title.endsWith(context) ? '' : context].filter((part) => part !== '').join('. ');
    detail.append(
      element('div', { class: 'detail-head' }, element('p', {}, element('b', {}, title), ` ${said}`), close),
      ...(isDrawn ? [place] : [element('p', {}, 'Nothing to draw: see the values.')]),
      ...keyOf(series),
      ...(latest?.notes ?? []).filter(saysMachine).map(noteOf),
      ...tableOn(series, shown, id),
    );
  };
  const toggle = toggleOf(id, title, detail, (isOpen) => {
    if (isOpen) shown.open.add(key);
    else shown.open.delete(key);
    if (isOpen && detail.childElementCount === 0) fill();
    if (isOpen) draw();
    else undraw();
  });
  detail.hidden = true;
  detail.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    toggle.click();
    toggle.focus();
  });
  if (shown.open.has(key)) toggle.click();

  const isSilent = latest !== null && days !== null && (series.latestDaysAgo ?? 0) >= days;
  const kinds = [
    'tile',
    ...(concernOf(series, shown.alerts) >= 2 ? ['concern'] : []),
    ...(latest !== null && latest.readings.length === 0 ? ['worded'] : []),
  ];
  const tile = element(
    'div',
    { class: kinds.join(' ') },
    element('h3', {}, toggle, ...(shown.naming === 'alone' ? [] : [' ', element('small', { class: 'group' }, group)])),
    ...headlineOf(series, now),
    ...alertLink(alertsOn(series, shown.alerts).length),
    ...(isDrawn ? [sparkLine(series)] : []),
    ...(isSilent ? [element('p', { class: 'nothing' }, `No value in the last ${days} days.`)] : []),
  );
  return { article: element('article', { class: 'measure', 'data-title': title }, tile, detail), draw, undraw };
}
