import { html, NOTHING, type Html } from './html.ts';
import { page, wrongLine, type PageFrame } from './page.ts';

/** Why somebody signs in, and in which ways they can. */
export interface SignInChoice {
  /** What the person reads before the form. */
  readonly why: Html;
  /** Whether people have names and passwords of ours. */
  readonly local: 'on' | 'off';
  /** Where the hospital's own sign-in begins; null: there is none. */
  readonly provider: { readonly start: string; readonly host: string } | null;
  readonly wrong: string | null;
}

export const TOO_MANY = 'There were too many wrong tries from here. Wait some minutes, then try again.';

export const forApp = (app: string): Html =>
  html`<p><strong>${app}</strong> asks to read health records. Sign in to go on.</p>`;

export const FOR_GRANTS = html`<p>Sign in to see what apps may do for you, and to end it.</p>`;

const cancelButton = html`<button type="submit" name="step" value="cancel" class="second" formnovalidate>
  Cancel
</button>`;

const passwordForm = (frame: PageFrame): Html =>
  html`<form method="post" action="${frame.action}">
    <label for="username">User name</label>
    <input type="text" id="username" name="username" autocomplete="username" autocapitalize="none" required autofocus />
    <label for="password">Password</label>
    <input type="password" id="password" name="password" autocomplete="current-password" required />
    <button type="submit" name="step" value="sign-in">Sign in</button>
    ${cancelButton}
  </form>`;

/**
 * Where the hospital's sign-in is the only way, the page leads on by itself. It is a page and no redirect, since a
 * redirect that follows a form is held against the policy of the form's page.
 */
export const signInPage = (frame: PageFrame, { why, local, provider, wrong }: SignInChoice): string =>
  page(
    frame.styleUrl,
    'Sign in',
    html`<h1>Sign in</h1>
      ${why} ${wrongLine(wrong)}
      ${
        provider === null
          ? NOTHING
          : html`<p><a class="button" href="${provider.start}">Sign in at ${provider.host}</a></p>`
      }
      ${local === 'on' && provider !== null ? html`<h2>Or with a name and password of this server</h2>` : NOTHING}
      ${local === 'on' ? passwordForm(frame) : html`<form method="post" action="${frame.action}">${cancelButton}</form>`}`,
    local === 'off' && wrong === null && provider !== null ? provider.start : null,
  );

const codeForm = (frame: PageFrame): Html =>
  html`<form method="post" action="${frame.action}">
    <label for="code">Code of six digits</label>
    <input
      type="text"
      id="code"
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      pattern="[0-9 ]{6,7}"
      required
      autofocus
    />
    <button type="submit" name="step" value="code">Go on</button>
    ${cancelButton}
  </form>`;

export const codePage = (frame: PageFrame, wrong: string | null): string =>
  page(
    frame.styleUrl,
    'Second factor',
    html`<h1>Second factor</h1>
      <p>Type the code that your authenticator app shows now.</p>
      ${wrongLine(wrong)} ${codeForm(frame)}
      <p>Without the app, ask whoever looks after Chartgate to reset your second factor.</p>`,
  );

export const enrolPage = (
  frame: PageFrame,
  shown: { readonly qr: string; readonly secret: string; readonly wrong: string | null },
): string =>
  page(
    frame.styleUrl,
    'Add an authenticator app',
    html`<h1>Add an authenticator app</h1>
      <p>
        Here a second factor is asked of everybody. Scan the picture with an authenticator app, or type the key into it.
      </p>
      ${wrongLine(shown.wrong)}
      <p><img src="${shown.qr}" alt="The key as a picture for an authenticator app" width="220" height="220" /></p>
      <p>Key: <span class="scope">${shown.secret}</span></p>
      ${codeForm(frame)}`,
  );

export const signOutPage = (frame: PageFrame, user: string, grantsUrl: string): string =>
  page(
    frame.styleUrl,
    'Sign out',
    html`<h1>Sign out</h1>
      <p>You are signed in as ${user}. Apps that keep access when you are not there keep it.</p>
      <form method="post" action="${frame.action}">
        <button type="submit" name="step" value="sign-out">Sign out</button>
      </form>
      <p><a href="${grantsUrl}">See and end what apps may do</a></p>`,
  );

/** `provider`: where the person can sign out of the hospital's own sign-in too. */
export const signedOutPage = (styleUrl: string, provider: string | null): string =>
  page(
    styleUrl,
    'Signed out',
    html`<h1>Signed out</h1>
      <p>Nobody is signed in here.</p>
      ${
        provider === null
          ? NOTHING
          : html`<p>You may still be signed in at ${new URL(provider).host}.</p>
              <p><a class="button second" href="${provider}">Sign out there too</a></p>`
      }`,
  );
