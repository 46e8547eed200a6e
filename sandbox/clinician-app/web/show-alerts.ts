import { element } from './element.ts';
import type { Alert } from './read-alert.ts';
import { saidOf, type Shown } from './show-series.ts';
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

/**
 * Alerts stand apart from measurements: each with what was measured and what it was held against, every number with its
 * own unit.
 */
export function showAlerts(alerts: readonly Alert[], shown: Shown): HTMLElement {
  const rows = alerts
    .filter((alert) => !isSaidElsewhere(alert, alerts))
    .toSorted(byTime)
    .map((alert) => rowOf(alert, shown));
  const body =
    rows.length === 0
      ? [element('p', { class: 'empty' }, 'None in this time.')]
      : [
          element(
            'p',
            {},
            'Raised by the monitoring of the health data service. Baseline, deviation and threshold were not measured.',
          ),
          element(
            'div',
            { class: 'table', tabindex: '0', role: 'region', 'aria-label': 'Alerts' },
            element(
              'table',
              { class: 'alerts' },
              element('caption', {}, `${rows.length} in this time, newest first`),
              element('thead', {}, element('tr', {}, ...HEADS.map((head) => element('th', { scope: 'col' }, head)))),
              element('tbody', {}, ...rows),
            ),
          ),
        ];
  return element(
    'section',
    { id: 'alerts', 'aria-labelledby': 'alerts-title' },
    element('h2', { id: 'alerts-title', tabindex: '-1' }, 'Alerts'),
    ...body,
  );
}
