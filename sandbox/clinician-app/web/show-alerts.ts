import { element, toggleOf } from './element.ts';
import type { Alert } from './read-alert.ts';
import { saidOf, tableHolder, type Shown } from './show-table.ts';
import { ageText } from './time-of.ts';

const HEADS = ['Alert', 'When', 'Measured', 'Threshold', 'Baseline', 'Deviation', 'Status', 'Source'] as const;

const byTime = (a: Alert, b: Alert): number => (b.measurement.at ?? -Infinity) - (a.measurement.at ?? -Infinity);

/** How many there were on a day has no threshold of its own; none is what was found, not what is missing. */
const measuredOf = ({ kind, measured }: Alert): string =>
  kind === 'breach' ? measured : measured === '0' ? 'evaluated: nothing out of range' : `${measured} out of range`;

/** How many there were on a day says nothing more where they are listed themselves. */
const isSaidElsewhere = (alert: Alert, all: readonly Alert[]): boolean =>
  alert.kind === 'day' &&
  alert.measured !== '0' &&
  all.some(
    ({ kind, measurement: { when } }) => kind === 'breach' && when.slice(0, 10) === alert.measurement.when.slice(0, 10),
  );

function rowOf(alert: Alert, { findSource, look }: Shown): HTMLTableRowElement {
  const { what, threshold, baseline, deviation, measurement } = alert;
  const cells = [
    `${measurement.when}, ${ageText(measurement, look.now)}`,
    measuredOf(alert),
    ...[threshold, baseline, deviation].map((part) => (part !== '' ? part : alert.kind === 'day' ? '' : 'none given')),
    saidOf(measurement, look.now),
    findSource(measurement.observation),
  ];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, what),
    ...cells.map((words, i) => element('td', { 'data-head': HEADS[i + 1] ?? '' }, words)),
  );
}

const LISTED = 3;

const isQuiet = ({ kind, measured }: Alert): boolean => kind === 'day' && measured === '0';

/** Under the heading that says what they are, the word is not said again. */
const nameInList = ({ what }: Alert): string => {
  const bare = what.replace(/^alert: /i, '');
  return `${bare[0]?.toUpperCase() ?? ''}${bare.slice(1)}`;
};

/** One alert in a line: what, how much, and when. */
const lineOf = (alert: Alert, { look }: Shown): HTMLElement => {
  const { measurement } = alert;
  return element(
    'li',
    {},
    element('b', {}, nameInList(alert)),
    element('span', {}, measuredOf(alert)),
    ...measurement.flags.map((words) => element('strong', { class: 'mark outside' }, words)),
    ...measurement.marks.map((words) => element('strong', { class: 'mark caution' }, words)),
    element('span', { class: 'when' }, `${measurement.when}, ${ageText(measurement, look.now)}`),
  );
};

function countText(all: readonly Alert[]): string {
  const quiet = all.filter(isQuiet).length;
  const days = `${quiet} ${quiet === 1 ? 'day was' : 'days were'} evaluated with nothing out of range`;
  return `${all.length} in this time, newest first${quiet === 0 ? '' : `; ${days}`}.`;
}

/**
 * Alerts stand apart from measurements: the newest in a line each, and all of them in a table with what was measured
 * and what it was held against, every number with its own unit.
 */
export function showAlerts(alerts: readonly Alert[], shown: Shown, openAlready: 'open' | 'closed'): HTMLElement {
  const all = alerts.filter((alert) => !isSaidElsewhere(alert, alerts)).toSorted(byTime);
  const head = element('h2', { id: 'alerts-title', tabindex: '-1' }, 'Alerts');
  const frame = (...body: readonly Node[]): HTMLElement =>
    element('section', { id: 'alerts', 'aria-labelledby': 'alerts-title' }, head, ...body);
  if (all.length === 0) return frame(element('p', { class: 'empty' }, 'None in this time.'));
  const loud = all.filter((alert) => !isQuiet(alert));
  const holder = tableHolder('alerts-table', 'Alerts');
  holder.append(
    element(
      'table',
      { class: 'alerts' },
      element(
        'caption',
        {},
        'Raised by the monitoring of the health data service. Baseline, deviation and threshold were not measured.',
      ),
      element('thead', {}, element('tr', {}, ...HEADS.map((one) => element('th', { scope: 'col' }, one)))),
      element('tbody', {}, ...all.map((alert) => rowOf(alert, shown))),
    ),
  );
  const toggle = toggleOf('alerts-all', `All ${all.length} with threshold and baseline`, holder, () => undefined);
  if (openAlready === 'open') toggle.click();
  return frame(
    element('p', { class: 'empty' }, countText(all)),
    ...(loud.length === 0
      ? []
      : [element('ul', { class: 'alert-list' }, ...loud.slice(0, LISTED).map((alert) => lineOf(alert, shown)))]),
    ...(loud.length > LISTED
      ? [element('p', { class: 'empty' }, `${loud.length - LISTED} more out of range in the table.`)]
      : []),
    toggle,
    holder,
  );
}
