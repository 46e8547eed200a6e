import { beTold } from './be-told.ts';
import { nameOf } from './chart-parts.ts';
import { button, byId, element } from './element.ts';
import { findMachineRead, makeFindSource } from './find-sources.ts';
import { isLookedAt, latestOf, makeSeries, type Look } from './make-series.ts';
import { isAlert, readAlert, type Alert } from './read-alert.ts';
import { readChart, type Chart } from './read-chart.ts';
import { GROUPS, readMeasurement, type Measurement } from './read-measurement.ts';
import { showAlerts } from './show-alerts.ts';
import { rowOf, showSeries, tableOf, type Shown } from './show-series.ts';
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
import { ageText } from './time-of.ts';

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

/** The day on the calendar of whoever looks. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

let undraw: (() => void)[] = [];

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

function showContents({ measurements, alerts }: Contents, shownBy: Shown): void {
  const { look } = shownBy;
  for (const stop of undraw) stop();
  undraw = [];
  const series = makeSeries(measurements, look);
  const alertsNow = alerts.filter(({ measurement }) => isLookedAt(measurement, look));
  const valid = alertsNow.filter(({ measurement }) => measurement.state !== 'withdrawn');
  const sections: HTMLElement[] = [showAlerts(valid, shownBy)];
  const draws: (() => () => void)[] = [];
  for (const group of GROUPS) {
    const shown = series
      .filter((one) => one.group === group)
      .map((one) => showSeries(one, { ...shownBy, alerts: valid }, series.indexOf(one)));
    if (shown.length === 0 && group === 'Other') continue;
    draws.push(...shown.map(({ draw }) => draw));
    const id = `group-${GROUPS.indexOf(group)}`;
    const body =
      shown.length === 0 ? [element('p', { class: 'empty' }, 'Nothing was measured.')] : shown.map(({ card }) => card);
    sections.push(
      element(
        'section',
        { id, 'aria-labelledby': `${id}-title` },
        element('h2', { id: `${id}-title`, tabindex: '-1' }, group),
        ...body,
      ),
    );
  }
  const gone = [
    ...measurements.filter((one) => isLookedAt(one, look)),
    ...alertsNow.map(({ measurement }) => measurement),
  ].filter(({ state }) => state === 'withdrawn');
  const rows = gone.map((one) => rowOf(one, shownBy, `${one.title}, ${one.when}`));
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

/** Stays as it was chosen when the chart is read again. */
let chosenSpan = '30';

function showChart(client: SmartClient, chart: Chart, now: Date): void {
  const { patient } = chart;
  const contents = readContents(chart);
  const { measurements } = contents;
  const findSource = makeFindSource(chart.included);
  const latest = latestOf(measurements, now);
  const about = [patient.birthDate === undefined ? '' : `born ${patient.birthDate}`, patient.gender ?? ''].filter(
    (part) => part !== '',
  );
  const span = element(
    'select',
    { id: 'span' },
    ...SPANS.map(([words, days]) => element('option', { value: String(days ?? '') }, words)),
  );
  span.value = chosenSpan;
  const show = (): void => {
    const look: Look = { days: span.value === '' ? null : Number(span.value), now };
    const shown = measurements.filter((one) => isLookedAt(one, look));
    showContents(contents, { findSource, look });
    say(
      measurements.length === 0
        ? 'This chart holds no measurements yet.'
        : `${shown.length} of ${measurements.length} measurements shown.`,
    );
  };
  span.addEventListener('change', () => {
    chosenSpan = span.value;
    show();
  });
  const user = client.getFhirUser();
  byId('content').replaceChildren(
    element(
      'header',
      { class: 'patient' },
      element('h1', {}, nameOf(patient) || 'Patient without a name'),
      element('p', {}, about.join(', ')),
      element(
        'p',
        { id: 'newest' },
        `Today is ${dayOf(now)}. `,
        latest === null ? 'No value holds.' : `Newest value of the chart: ${latest.when}, ${ageText(latest, now)}.`,
      ),
      element(
        'p',
        { class: 'actions' },
        element('label', { for: 'span' }, 'Shown, back from today: '),
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
      element('a', { href: '#alerts' }, 'Alerts'),
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
  showChart(client, chart, new Date(settings.now));
  keepTold(client, client.patient.id);
}

/** Reads the chart again when the gateway says that there is something new; once more where that was while reading. */
function keepTold(client: SmartClient, patientId: string): void {
  let isReading = false;
  let isWanted = false;
  const again = async (): Promise<void> => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isWanted) {
        isWanted = false;
        const [chart, { now }] = await Promise.all([readChart(client, patientId, () => undefined), readSettings()]);
        showChart(client, chart, new Date(now));
      }
    } catch {
      // The chart stays as it was read; the next event, or the person, has it read again.
    } finally {
      isReading = false;
    }
  };
  void beTold(client, () => void again());
}

readSettings()
  .then(run)
  .catch((thrown: unknown) => {
    say('The app could not be started. Is its server still running?');
    throw thrown;
  });
