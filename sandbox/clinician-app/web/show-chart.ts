import { nameOf } from './chart-parts.ts';
import { button, byId, element, toggleOf } from './element.ts';
import { findMachineRead, makeFindSource } from './find-sources.ts';
import { isLookedAt, latestOf, makeSeries, type Look } from './make-series.ts';
import { isAlert, readAlert, type Alert } from './read-alert.ts';
import type { Chart } from './read-chart.ts';
import { READ_BY_MACHINE, readMeasurement, saysMachine, type Group, type Measurement } from './read-measurement.ts';
import { showAlerts } from './show-alerts.ts';
import { showLegend } from './show-legend.ts';
import { showSeries, type Tile } from './show-series.ts';
import { rowOf, tableHolder, tableOf, type Shown } from './show-table.ts';
import { furtherOf, ORDERS, sortSeries, type Order, type Section } from './sort-series.ts';
import { ageText } from './time-of.ts';
import { ageOf, mrnOf } from './who-is-who.ts';

const SPANS: readonly (readonly [words: string, days: number | null])[] = [
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['Everything', null],
];
/** These have a heading even where nothing was measured: that nothing was is worth knowing. */
const ALWAYS: readonly Group[] = ['Vital signs', 'Activity', 'Sleep', 'Laboratory'];

/** What somebody has chosen. It stays when the chart is read again. */
interface Chosen {
  span: string;
  order: Order;
  wanted: string;
  readonly open: Set<string>;
  /** The titles of the sections of which a narrow screen shows everything. */
  readonly whole: Set<string>;
}
const chosen: Chosen = { span: '30', order: 'group', wanted: '', open: new Set(), whole: new Set() };

/** So many of a section are on a narrow screen at first. */
const FIRST = { group: 4, list: 12 } as const;

export const say = (words: string): void => void (byId('state').textContent = words);

/** The day on the calendar of whoever looks. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

interface Contents {
  readonly measurements: readonly Measurement[];
  readonly alerts: readonly Alert[];
}

/** What an alert was held against is no measurement, so the two never share a chart. */
function readContents({ observations, included }: Chart): Contents {
  const machineRead = findMachineRead(included);
  const measurements = observations.filter((one) => !isAlert(one)).map((one) => readMeasurement(one, machineRead));
  const byLiteral = new Map(measurements.map((one) => [`Observation/${one.id}`, one]));
  const alerts = observations
    .filter(isAlert)
    .map((one) => readAlert(one, (name) => byLiteral.get(name) ?? null, machineRead));
  return { measurements, alerts };
}

/** The same series has the same id however the page is sorted, so that the focus finds its way back. */
const ids = new Map<string, string>();
const idOf = (key: string): string => {
  const known = ids.get(key) ?? `measure-${ids.size}`;
  ids.set(key, known);
  return known;
};

const isOpen = (id: string): 'open' | 'closed' =>
  document.getElementById(id)?.getAttribute('aria-expanded') === 'true' ? 'open' : 'closed';

function showWithdrawn(gone: readonly Measurement[], shown: Shown): HTMLElement {
  const frame = (...body: readonly Node[]): HTMLElement =>
    element(
      'section',
      { id: 'withdrawn', 'aria-labelledby': 'withdrawn-title' },
      element('h2', { id: 'withdrawn-title', tabindex: '-1' }, 'Withdrawn values'),
      ...body,
    );
  if (gone.length === 0) return frame(element('p', { class: 'empty' }, 'None.'));
  const holder = tableHolder('withdrawn-table', 'Withdrawn values');
  const rows = gone.map((one) => rowOf(one, shown, `${one.title}, ${one.when}`));
  holder.append(tableOf(`${rows.length} withdrawn`, 'What and when', rows));
  const toggle = toggleOf('withdrawn-all', `All ${rows.length} withdrawn`, holder, () => undefined);
  if (isOpen('withdrawn-all') === 'open') toggle.click();
  return frame(element('p', { class: 'empty' }, 'These were taken back and are in no chart.'), toggle, holder);
}

let tiles: readonly Tile[] = [];

/** Each note of a machine's reading once, with how many values it is about. */
function machineNotes({ series }: Section): HTMLElement[] {
  const notes = series.flatMap(({ latest }) => [...new Set(latest?.notes.filter(saysMachine))]);
  return [...Map.groupBy(notes, (note) => note)].map(([note, { length }]) =>
    element(
      'p',
      { class: 'note' },
      `${length} ${length === 1 ? 'kind' : 'kinds'} here with the mark “${READ_BY_MACHINE}”: ${note}`,
    ),
  );
}

/** Shows the rest of a section on a narrow screen; on a wide one nothing is left out. */
function moreButton(title: string, count: number, grid: HTMLElement): HTMLElement {
  const made = button(`${count} more, none of them out of range`, () => {
    const isWhole = grid.classList.toggle('whole');
    made.setAttribute('aria-expanded', String(isWhole));
    if (isWhole) chosen.whole.add(title);
    else chosen.whole.delete(title);
  });
  made.append(element('span', { class: 'unseen' }, `: ${title}`));
  made.id = `${grid.id}-more`;
  made.className = 'toggle more';
  made.setAttribute('aria-controls', grid.id);
  made.setAttribute('aria-expanded', String(grid.classList.contains('whole')));
  return made;
}

function tilesOf(section: Section, id: string, shown: readonly Tile[], alerts: readonly Alert[]): HTMLElement[] {
  const { title, series } = section;
  const isWhole = chosen.whole.has(title);
  const grid = element('div', { class: isWhole ? 'tiles whole' : 'tiles', id: `${id}-tiles` });
  const first = chosen.wanted !== '' ? Infinity : chosen.order === 'group' ? FIRST.group : FIRST.list;
  const further = furtherOf(section, first, alerts, chosen.open);
  shown.forEach(({ article }, n) => {
    const one = series[n];
    if (one !== undefined && further.has(one)) article.classList.add('further');
    grid.append(article);
  });
  return [grid, ...(further.size === 0 ? [] : [moreButton(title, further.size, grid)])];
}

function showSection(section: Section, n: number, shown: readonly Tile[], alerts: readonly Alert[]): HTMLElement {
  const { title, series } = section;
  const id = `group-${n}`;
  const count = `${series.length} ${series.length === 1 ? 'kind' : 'kinds'}`;
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element(
      'div',
      { class: 'section-head' },
      element('h2', { id: `${id}-title`, tabindex: '-1' }, title),
      ...(shown.length === 0 ? [] : [element('span', { class: 'count' }, count)]),
    ),
    ...machineNotes(section),
    ...(shown.length === 0
      ? [element('p', { class: 'empty' }, chosen.wanted === '' ? 'Nothing was measured.' : 'Nothing that fits.')]
      : tilesOf(section, id, shown, alerts)),
  );
}

function showNav(sections: readonly Section[]): void {
  const link = (to: string, words: string): HTMLElement => element('a', { href: `#${to}` }, words);
  byId('parts').replaceChildren(
    link('alerts', 'Alerts'),
    ...sections.map(({ title }, n) => link(`group-${n}`, title)),
    link('withdrawn', 'Withdrawn values'),
  );
}

function showContents({ measurements, alerts }: Contents, shown: Shown): void {
  const { look } = shown;
  for (const tile of tiles) tile.undraw();
  const focused = document.activeElement?.id ?? '';
  const isNow = (one: Measurement): boolean => isLookedAt(one, look);
  const alertsNow = alerts.filter(({ measurement }) => isNow(measurement));
  const valid = alertsNow.filter(({ measurement }) => measurement.state !== 'withdrawn');
  const { order, wanted, open } = chosen;
  const sections = sortSeries(makeSeries(measurements, look), { order, wanted, alerts: valid }).filter(
    ({ title, series }) => series.length > 0 || order !== 'group' || ALWAYS.some((one) => one === title),
  );
  const naming = order === 'group' ? 'alone' : 'with-group';
  const perSection = sections.map(({ series }) =>
    series.map((one) => showSeries(one, { ...shown, alerts: valid, open, naming }, idOf(one.key))),
  );
  tiles = perSection.flat();
  const gone = [...measurements.filter(isNow), ...alertsNow.map(({ measurement }) => measurement)].filter(
    ({ state }) => state === 'withdrawn',
  );
  showNav(sections);
  byId('content').replaceChildren(
    showAlerts(valid, shown, isOpen('alerts-all')),
    ...sections.map((section, n) => showSection(section, n, perSection[n] ?? [], valid)),
    showWithdrawn(gone, shown),
  );
  // Only now do the places have a width.
  for (const tile of tiles) tile.draw();
  if (focused !== '' && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
  const kinds = sections.reduce((sum, { series }) => sum + series.length, 0);
  const count = `${measurements.filter(isNow).length} of ${measurements.length} measurements shown`;
  const fitting = `${kinds} ${kinds === 1 ? 'kind fits' : 'kinds fit'} “${wanted}”`;
  if (measurements.length === 0) say('This chart holds no measurements yet.');
  else say(wanted === '' ? `${count}.` : `${fitting}.`);
}

/** Colours of charts are of the style sheet, which a change of the scheme changes. */
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const tile of tiles) {
    tile.undraw();
    tile.draw();
  }
});

function choice(
  id: string,
  label: string,
  options: readonly (readonly [value: string, words: string])[],
  value: string,
  onChange: (value: string) => void,
): HTMLElement {
  const made = element('select', { id }, ...options.map(([one, words]) => element('option', { value: one }, words)));
  made.value = value;
  made.addEventListener('change', () => onChange(made.value));
  return element('div', { class: 'field' }, element('label', { for: id }, label), made);
}

function finder(onChange: (wanted: string) => void): HTMLElement {
  const made = element('input', { id: 'wanted', type: 'search', autocomplete: 'off', spellcheck: 'false' });
  made.placeholder = 'name, group or LOINC';
  made.value = chosen.wanted;
  made.addEventListener('input', () => onChange(made.value.trim()));
  return element('div', { class: 'field wide' }, element('label', { for: 'wanted' }, 'Find'), made);
}

export function showUser(name: string | null, onSignOut: () => void): void {
  byId('user').replaceChildren(
    ...(name === null
      ? []
      : [element('p', {}, element('span', { class: 'prefix' }, 'Signed in: '), element('b', {}, name))]),
    button('Sign out', onSignOut),
  );
}

function bannerOf({ patient }: Chart, today: string): HTMLElement {
  const age = ageOf(patient.birthDate, today);
  const mrn = mrnOf(patient);
  const fact = (name: string, words: string): HTMLElement =>
    element('div', {}, element('dt', {}, name), element('dd', {}, words));
  return element(
    'div',
    { class: 'patient' },
    element('h1', {}, nameOf(patient) || 'Patient without a name'),
    element(
      'dl',
      {},
      fact(
        'Born',
        patient.birthDate === undefined ? 'not said' : patient.birthDate + (age === null ? '' : ` (${age})`),
      ),
      fact('Sex', patient.gender ?? 'not said'),
      fact('MRN', mrn ?? 'not said'),
    ),
  );
}

/** The chart of one patient at one moment, as somebody has chosen to see it. */
export function showChart(chart: Chart, now: Date): void {
  const contents = readContents(chart);
  const findSource = makeFindSource(chart.included);
  const latest = latestOf(contents.measurements, now);
  const today = dayOf(now);
  const show = (): void => {
    const look: Look = { days: chosen.span === '' ? null : Number(chosen.span), now };
    showContents(contents, { findSource, look });
  };
  const choose = (change: Partial<Chosen>): void => {
    Object.assign(chosen, change);
    show();
  };
  const spans = SPANS.map(([words, days]) => [String(days ?? ''), words] as const);
  const focused = document.activeElement?.id ?? '';
  byId('head').replaceChildren(
    bannerOf(chart, today),
    element(
      'p',
      { id: 'newest' },
      `Today is ${today}. `,
      latest === null ? 'No value holds.' : `Newest value of the chart: ${latest.when}, ${ageText(latest, now)}.`,
    ),
    element(
      'div',
      { class: 'tools' },
      choice('span', 'Shown, back from today', spans, chosen.span, (span) => choose({ span })),
      choice('order', 'Sorted', ORDERS, chosen.order, (order) => choose({ order: order as Order })),
      finder((wanted) => choose({ wanted })),
    ),
    element(
      'div',
      { class: 'guide' },
      element('nav', { id: 'parts', 'aria-label': 'Parts of the chart' }),
      showLegend(),
    ),
  );
  show();
  if (focused !== '' && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
