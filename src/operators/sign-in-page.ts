import { PAGE_STYLE } from '../auth/index.ts';
import { ICON_URL, ok, type Answer, type Route } from '../kernel/index.ts';
import { SIGN_IN_SCRIPT } from './sign-in-script.ts';

/** One script of our own, no inline code, nothing from elsewhere, and no way from text to markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const STYLE = `${PAGE_STYLE}
[hidden] { display: none !important; }
img { display: block; width: 12rem; height: 12rem; margin: 1rem 0; image-rendering: pixelated; }
code { font: .95rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
`;

const password = (id: string, label: string, complete: string): string => `
      <label for="${id}">${label}</label>
      <input type="password" id="${id}" name="${id}" required maxlength="200" autocomplete="${complete}">`;
const code = (id: string): string => `
      <label for="${id}">Code of six digits</label>
      <input type="text" id="${id}" name="${id}" required inputmode="numeric" pattern="[0-9]{6}" maxlength="6" autocomplete="one-time-code">`;

const page = (provider: 'configured' | 'none'): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Sign in · Chartgate</title>
  <meta name="color-scheme" content="light dark">
  <link rel="icon" type="image/svg+xml" href="${ICON_URL}">
  <link rel="stylesheet" href="/operator/sign-in.css">
  <script type="module" src="/operator/sign-in.js"></script>
</head>
<body>
  <main>
    <h1 id="title" tabindex="-1">Sign in</h1>
    <p id="wrong" class="wrong" role="alert" hidden></p>
    <p id="status" role="status"></p>
    <noscript><p>This page needs JavaScript: it speaks with the gateway by it, and with nobody else.</p></noscript>
    <form id="sign-in" method="post" hidden>
      <label for="name">Name</label>
      <input type="text" id="name" name="name" required maxlength="100" autocomplete="username" autocapitalize="none" spellcheck="false">${password('password', 'Password', 'current-password')}
      <button type="submit">Sign in</button>
    </form>${
      provider === 'none'
        ? ''
        : `
    <p id="provider" hidden><a class="button" href="/operator/provider/start">Sign in at the hospital's identity provider</a></p>`
    }
    <form id="unlock" method="post" hidden>
      <p>Nobody was here for 15 minutes. Give the password again.</p>${password('unlock-password', 'Password', 'current-password')}
      <button type="submit">Unlock</button>
    </form>
    <form id="code" method="post" hidden>${code('code-value')}
      <button type="submit">Go on</button>
    </form>
    <p id="use-passkey" hidden><button type="button" id="passkey">Use a passkey</button></p>
    <section id="enrol" hidden>
      <p>Your roles ask for a second factor. Add one now.</p>
      <button type="button" id="add-app">Authenticator app</button>
      <button type="button" id="add-passkey" class="second">Passkey</button>
    </section>
    <form id="app" method="post" hidden>
      <p>Show this picture to your authenticator app, or type the secret.</p>
      <img id="qr" alt="Picture of the address that holds the secret below">
      <p><code id="secret"></code></p>${code('app-code')}
      <button type="submit">Add the app</button>
    </form>
    <form id="link" method="post" hidden>
      <p>Choose a password of 12 characters or more. Several words that do not belong together are good.</p>${password('new-password', 'New password', 'new-password')}${password('new-again', 'The same again', 'new-password')}
      <button type="submit">Set the password</button>
    </form>
    <section id="inside" hidden>
      <p id="who"></p>
      <p id="console" hidden><a class="button" href="/console">Open the console</a></p>
      <button type="button" id="sign-out" class="second">Sign out</button>
    </section>
  </main>
</body>
</html>
`;

const answer = (type: string, body: string): Answer => ({
  status: 200,
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': POLICY },
  body,
});

export function makePageRoutes(provider: 'configured' | 'none'): Route[] {
  const shown = answer('text/html', page(provider));
  const open = (path: string, body: Answer): Route => ({ method: 'get', path, access: 'open', handle: () => ok(body) });
  return [
    open('/operator/sign-in', shown),
    open('/operator/sign-in.css', answer('text/css', STYLE)),
    open('/operator/sign-in.js', answer('text/javascript', SIGN_IN_SCRIPT)),
  ];
}
