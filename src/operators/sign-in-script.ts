/**
 * What the sign-in page does: it asks the session's routes and shows the part that comes next. It writes text and never
 * markup. The secret of a one-time link stands behind the # and is taken out of the address at once.
 */
export const SIGN_IN_SCRIPT = `
const at = (id) => document.getElementById(id);
const PARTS = ['sign-in', 'provider', 'unlock', 'code', 'use-passkey', 'enrol', 'app', 'link', 'inside'];
const TITLES = { 'sign-in': 'Sign in', unlock: 'Locked', code: 'Second factor', 'use-passkey': 'Second factor', enrol: 'Add a second factor', app: 'Authenticator app', link: 'Set your password', inside: 'Signed in' };
const WORDS = {
  'operator.refused': 'That does not fit. Try again.',
  'operator.too-many': 'Too many tries. Wait a while and try again.',
  'operator.link': 'This link was used, replaced, or is too old. Ask for another.',
  'operator.unauthenticated': 'The session has ended. Sign in again.',
  'operator.factor': 'That does not fit. Try again.',
};
let csrf = null;
let link = new URLSearchParams(location.hash.slice(1)).get('link');
if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);

function show(parts) {
  for (const id of PARTS) { const part = at(id); if (part !== null) part.hidden = !parts.includes(id); }
  const title = TITLES[parts[0]] ?? 'Sign in';
  at('title').textContent = title;
  document.title = title + ' · Chartgate';
  const first = at(parts[0])?.querySelector('input');
  (first ?? at('title')).focus();
}
function say(text) {
  at('wrong').textContent = text;
  at('wrong').hidden = text === '';
}
async function ask(method, path, body) {
  const headers = { 'content-type': 'application/json', ...(csrf === null ? {} : { 'x-chartgate-csrf': csrf }) };
  const answer = await fetch('/admin/api/session' + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const value = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(value.code), { code: value.code, detail: value.detail });
  if (typeof value.csrf === 'string') csrf = value.csrf;
  return value;
}
async function attempt(work) {
  say('');
  at('status').textContent = 'One moment …';
  try {
    await work();
  } catch (thrown) {
    say(WORDS[thrown.code] ?? thrown.detail ?? 'That did not work. Try again.');
    if (thrown.code === 'operator.unauthenticated') { csrf = null; show(['sign-in', 'provider']); }
  }
  at('status').textContent = '';
}
/** Only a path of our own. */
function next() {
  const to = new URLSearchParams(location.search).get('to') ?? '';
  return /^\\/(?![\\/\\\\])/.test(to) ? to : null;
}
/** The console, where the gateway has one. */
async function consoleHere() {
  try { return (await fetch('/console', { method: 'HEAD' })).ok; } catch { return false; }
}
/** Whoever has just signed in is led on; who comes back to this page may stay, to sign out. */
async function look(isNew = false) {
  let who = null;
  try { who = await ask('GET', ''); } catch (thrown) { if (thrown.code !== 'operator.unauthenticated') throw thrown; }
  if (who === null) { csrf = null; return show(['sign-in', 'provider']); }
  const kinds = (who.factors ?? []).map((one) => one.kind);
  if (who.stage === 'locked') return who.signsInBy === 'provider' ? show(['provider']) : show(['unlock']);
  if (who.stage === 'factor') return show([...(kinds.includes('totp') ? ['code'] : []), ...(kinds.includes('passkey') ? ['use-passkey'] : [])]);
  if (who.stage === 'enrol') return show(['enrol']);
  at('who').textContent = who.displayName + ' (' + who.roles.join(', ') + ')';
  const hasConsole = await consoleHere();
  at('console').hidden = !hasConsole;
  show(['inside']);
  const to = next() ?? (isNew && hasConsole ? '/console' : null);
  if (to !== null) location.assign(to);
}
function onSubmit(id, work) {
  at(id).addEventListener('submit', (event) => { event.preventDefault(); void attempt(work); });
}
const onClick = (id, work) => at(id).addEventListener('click', () => void attempt(work));
function take(id) { const { value } = at(id); at(id).value = ''; return value; }

onSubmit('sign-in', async () => { await ask('POST', '', { name: at('name').value, password: take('password') }); await look(true); });
onSubmit('unlock', async () => { await ask('POST', '/unlock', { password: take('unlock-password') }); await look(true); });
onSubmit('code', async () => { await ask('POST', '/code', { code: take('code-value') }); await look(true); });
onClick('passkey', async () => {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await ask('POST', '/passkey'));
  const made = await navigator.credentials.get({ publicKey: options });
  await ask('POST', '/passkey/finish', { response: made.toJSON() });
  await look(true);
});
onClick('add-app', async () => {
  const { secret, qr } = await ask('POST', '/factors/totp');
  at('qr').src = qr;
  at('secret').textContent = secret;
  show(['app']);
});
onSubmit('app', async () => { await ask('POST', '/factors/totp/finish', { code: take('app-code') }); await look(true); });
onClick('add-passkey', async () => {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(await ask('POST', '/factors/passkey'));
  const made = await navigator.credentials.create({ publicKey: options });
  await ask('POST', '/factors/passkey/finish', { response: made.toJSON() });
  await look(true);
});
onSubmit('link', async () => {
  if (at('new-password').value !== at('new-again').value) return say('The two differ. Type them again.');
  const { name } = await ask('POST', '/link', { link, password: take('new-password') });
  take('new-again');
  link = null;
  show(['sign-in']);
  at('name').value = name;
  at('password').focus();
});
onClick('sign-out', async () => { await ask('DELETE', ''); csrf = null; await look(); });

if (link !== null) show(['link']);
else void attempt(look).then(() => {
  const wrong = new URLSearchParams(location.search).get('wrong');
  if (wrong !== null && Object.hasOwn(WORDS, wrong)) say(WORDS[wrong]);
});
`;
