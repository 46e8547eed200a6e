import { button, byId, element } from './element.ts';
import { forget, openingOf, readSettings, signIn, type Opening, type Settings } from './smart-client.ts';

const say = (words: string): void => void (byId('state').textContent = words);

function enter(settings: Settings, opening: Exclude<Opening, { kind: 'refused' }>): void {
  say('Signing in…');
  forget();
  signIn(settings, opening).catch(() => {
    say('Signing in failed: the gateway does not answer as expected.');
    byId('content').replaceChildren(button('Try again', () => enter(settings, opening)));
  });
}

readSettings()
  .then((settings) => {
    const opening = openingOf(location.search, settings);
    if (opening.kind === 'refused') {
      say('');
      byId('content').replaceChildren(
        element(
          'p',
          { role: 'alert' },
          'This app was launched by a server that it does not know. Nothing was sent there.',
        ),
      );
    } else if (opening.kind === 'ehr') enter(settings, opening);
    else {
      say('');
      const enterButton = button('Sign in', () => enter(settings, opening));
      enterButton.classList.add('first');
      byId('content').replaceChildren(
        element('p', {}, 'Shows the measurements of one patient, read through the gateway.'),
        enterButton,
      );
    }
  })
  .catch(() => say('The app could not be started. Is its server still running?'));
