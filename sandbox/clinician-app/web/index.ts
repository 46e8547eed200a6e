import { beTold } from './be-told.ts';
import { button, byId, element } from './element.ts';
import { readChart, type Chart } from './read-chart.ts';
import { say, showChart, showUser } from './show-chart.ts';
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
import { readUserName } from './who-is-who.ts';

const TROUBLES: Readonly<Record<Trouble, string>> = {
  'not-signed-in': 'You are not signed in.',
  refused: 'Signing in was stopped or refused.',
  expired: 'Your session has ended. Sign in again to go on.',
  forbidden: 'You may not read this patient’s chart.',
  unreachable: 'The chart could not be read. The gateway or the EHR behind it does not answer as expected.',
};

function showTrouble(settings: Settings, trouble: Trouble, again: (() => void) | null): void {
  say('');
  const retry = again === null ? [] : [button('Try again', again)];
  const enter = button('Sign in', () => {
    forget();
    // What stands in the address was for the sign-in that is over.
    history.replaceState({}, '', location.pathname);
    signIn(settings, { kind: 'person' }).catch(() => showTrouble(settings, 'unreachable', null));
  });
  enter.classList.add('first');
  byId('user').replaceChildren();
  byId('head').replaceChildren(element('h1', {}, 'Measurements'));
  byId('content').replaceChildren(
    element(
      'div',
      { class: 'welcome' },
      element('div', { class: 'trouble', role: 'alert' }, element('p', {}, TROUBLES[trouble])),
      element('p', {}, 'This app shows the measurements of one patient, read through the gateway.'),
      element('p', { class: 'actions' }, ...retry, enter),
    ),
  );
  enter.focus();
}

function signOut(): void {
  forget();
  location.assign('launch.html');
}

async function run(settings: Settings): Promise<void> {
  say('Signing in…');
  const resumed = await resume();
  if ('trouble' in resumed) {
    showTrouble(settings, resumed.trouble, null);
    return;
  }
  const { client } = resumed;
  const patientId = client.patient.id;
  if (patientId === null) {
    showTrouble(settings, 'forbidden', null);
    return;
  }
  say('Reading the chart…');
  const named = readUserName(client);
  let chart: Chart;
  try {
    chart = await readChart(client, patientId, (pages) =>
      say(`Reading the chart… ${pages} ${pages === 1 ? 'page' : 'pages'}`),
    );
  } catch (thrown) {
    const trouble = troubleOf(thrown);
    showTrouble(settings, trouble, trouble === 'unreachable' ? () => location.reload() : null);
    return;
  }
  showUser(await named, signOut);
  showChart(chart, new Date(settings.now));
  watchForNews(client, patientId);
}

/** Reads the chart again when the gateway says that there is something new; once more where that was while reading. */
function watchForNews(client: SmartClient, patientId: string): void {
  let isReading = false;
  let isNeeded = false;
  const again = async (): Promise<void> => {
    isNeeded = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isNeeded) {
        isNeeded = false;
        const [chart, { now }] = await Promise.all([readChart(client, patientId, () => undefined), readSettings()]);
        showChart(chart, new Date(now));
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
