import { nameOf } from './chart-parts.ts';
import { button, byId, element } from './element.ts';
import { makeFindSource, type FindSource } from './find-sources.ts';
import { lastDays, makeSeries } from './make-series.ts';
import { readChart, type Chart } from './read-chart.ts';
import { GROUPS, readMeasurement, type Measurement } from './read-measurement.ts';
import { rowOf, showSeries, tableOf } from './show-series.ts';
import {
  forget,
  readSettings,
  resume,
  signIn,
  troubleOf,
  type Settings,
  type SmartClient,
  type Trouble,
} from './smart-client.ts';

const TROUBLES: Readonly<Record<Trouble, string>> = {
  'not-signed-in': 'You are not signed in.',
  refused: 'Signing in was stopped or refused.',
  expired: 'Your session has ended. Sign in again to go on.',
  forbidden: 'You may not read this patient’s chart.',
  unreachable: 'The chart could not be read. The gateway or the EHR behind it does not answer as expected.',
};
const SPANS: readonly (readonly [words: string, days: number | null])[] = [
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['Everything', null],
];

const say = (words: string): void => void (byId('state').textContent = words);

function showTrouble(settings: Settings, trouble: Trouble, again: (() => void) | null): void {
  say('');
  const retry = again === null ? [] : [button('Try again', again)];
  const enter = button('Sign in', () => {
    forget();
    // What stands in the address was for the sign-in that is over.
    history.replaceState({}, '', location.pathname);
    signIn(settings, { kind: 'person' }).catch(() => showTrouble(settings, 'unreachable', null));
  });
  byId('content').replaceChildren(
    element('div', { class: 'trouble', role: 'alert' }, element('p', {}, TROUBLES[trouble])),
    element('p', { class: 'actions' }, ...retry, enter),
  );
  enter.focus();
}

let undraw: (() => void)[] = [];

function showMeasurements(all: readonly Measurement[], findSource: FindSource): void {
  for (const stop of undraw) stop();
  undraw = [];
  const series = makeSeries(all);
  const sections: HTMLElement[] = [];
  const draws: (() => () => void)[] = [];
  for (const group of GROUPS) {
    const shown = series.filter((one) => one.group === group).map((one) => showSeries(one, findSource, series.indexOf(one)));
    if (shown.length === 0 && group === 'Other') continue;
    draws.push(...shown.map(({ draw }) => draw));
    const id = `group-${GROUPS.indexOf(group)}`;
    const body =
      shown.length === 0
        ? [element('p', { class: 'empty' }, 'Nothing was measured in this time.')]
        : shown.map(({ card }) => card);
    sections.push(
      element(
        'section',
        { id, 'aria-labelledby': `${id}-title` },
        element('h2', { id: `${id}-title`, tabindex: '-1' }, group),
        ...body,
      ),
    );
  }
  const gone = all.filter(({ state }) => state === 'withdrawn');
  const rows = gone.map((one) => rowOf(one, findSource, `${one.title}, ${one.when}`));
  sections.push(
    element(
      'section',
      { id: 'withdrawn', 'aria-labelledby': 'withdrawn-title' },
      element('h2', { id: 'withdrawn-title' }, 'Withdrawn values'),
      ...(rows.length === 0
        ? [element('p', { class: 'empty' }, 'None.')]
        : [
            element('p', {}, 'These were taken back and are in no chart.'),
            element(
              'div',
              { class: 'table', tabindex: '0', role: 'region', 'aria-label': 'Withdrawn values' },
              tableOf(`${rows.length} withdrawn`, 'What and when', rows),
            ),
          ]),
    ),
  );
  byId('groups').replaceChildren(...sections);
  // Only now do the places have a width.
  undraw = draws.map((draw) => draw());
}

function showChart(client: SmartClient, { patient, observations, included }: Chart): void {
  const measurements = observations.map(readMeasurement);
  const findSource = makeFindSource(included);
  const about = [patient.birthDate === undefined ? '' : `born ${patient.birthDate}`, patient.gender ?? ''].filter(
    (part) => part !== '',
  );
  const span = element(
    'select',
    { id: 'span' },
    ...SPANS.map(([words, days]) => element('option', { value: String(days ?? '') }, words)),
  );
  span.value = '30';
  const show = (): void => {
    const days = span.value === '' ? null : Number(span.value);
    const shown = lastDays(measurements, days);
    showMeasurements(shown, findSource);
    say(
      measurements.length === 0
        ? 'This chart holds no measurements yet.'
        : `${shown.length} of ${measurements.length} measurements shown.`,
    );
  };
  span.addEventListener('change', show);
  const user = client.getFhirUser();
  byId('content').replaceChildren(
    element(
      'header',
      { class: 'patient' },
      element('h1', {}, nameOf(patient) || 'Patient without a name'),
      element('p', {}, about.join(', ')),
      element(
        'p',
        { class: 'actions' },
        element('label', { for: 'span' }, 'Shown, back from the newest: '),
        span,
        button('Sign out', () => {
          forget();
          location.assign('launch.html');
        }),
      ),
      ...(user === null ? [] : [element('p', { class: 'about' }, `Signed in as ${user}`)]),
    ),
    element(
      'nav',
      { 'aria-label': 'Parts of the chart' },
      ...GROUPS.filter((group) => group !== 'Other').map((group) =>
        element('a', { href: `#group-${GROUPS.indexOf(group)}` }, group),
      ),
      element('a', { href: '#withdrawn' }, 'Withdrawn values'),
    ),
    element('div', { id: 'groups' }),
  );
  show();
}

async function run(settings: Settings): Promise<void> {
  say('Signing in…');
  const resumed = await resume();
  if ('trouble' in resumed) {
    showTrouble(settings, resumed.trouble, null);
    return;
  }
  const { client } = resumed;
  if (client.patient.id === null) {
    showTrouble(settings, 'forbidden', null);
    return;
  }
  say('Reading the chart…');
  let chart: Chart;
  try {
    chart = await readChart(client, client.patient.id, (pages) =>
      say(`Reading the chart… ${pages} ${pages === 1 ? 'page' : 'pages'}`),
    );
  } catch (thrown) {
    const trouble = troubleOf(thrown);
    showTrouble(settings, trouble, trouble === 'unreachable' ? () => location.reload() : null);
    return;
  }
  showChart(client, chart);
}

readSettings()
  .then(run)
  .catch((thrown: unknown) => {
    say('The app could not be started. Is its server still running?');
    throw thrown;
  });
