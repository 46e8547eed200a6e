import type { ListedGrant } from './commands.ts';
import { LONG_ACCESS, sentenceOf } from './describe-scope.ts';
import { html, NOTHING, type Html } from './html.ts';
import { page } from './page.ts';
import { parseResourceScope, splitScopes } from './scope.ts';

interface ShownGrant extends ListedGrant {
  /** The name of the app. */
  readonly app: string;
}

const SHOWN_OF_ID = 2;
const ID_LEAST = 6;

/** Enough to tell two apart for who knows them, and too little for anybody else. */
const masked = (id: string): string => (id.length < ID_LEAST ? '…' : `…${id.slice(-SHOWN_OF_ID)}`);

const minute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function wordsOf(scope: string | null): readonly string[] {
  const scopes = splitScopes(scope ?? '');
  const lasting = scopes.flatMap((one) => (Object.hasOwn(LONG_ACCESS, one) ? [LONG_ACCESS[one] ?? ''] : []));
  return [
    ...scopes.filter((one) => parseResourceScope(one) !== null).map(sentenceOf),
    ...lasting,
    ...(scopes.includes('fhirUser') ? ['Learn who you are'] : []),
  ];
}

const grantItem = (grant: ShownGrant, n: number, form: { readonly action: string; readonly csrf: string }): Html =>
  html`<li class="grant">
    <h2 id="app-${String(n)}">${grant.app}</h2>
    ${grant.patient === null ? NOTHING : html`<p>About one patient, whose id at the EHR ends in ${masked(grant.patient)}</p>`}
    <ul>
      ${wordsOf(grant.scope).map((words) => html`<li>${words}</li>`)}
    </ul>
    <p>
      Allowed ${minute(grant.madeAtMs)}.
      ${grant.usedAtMs === null ? 'Not used yet' : `Last used ${minute(grant.usedAtMs)}`}. Ends by itself
      ${minute(grant.untilMs)} unless it is renewed.
    </p>
    <form method="post" action="${form.action}">
      <input type="hidden" name="csrf" value="${form.csrf}" />
      <input type="hidden" name="grant" value="${grant.id}" />
      <button type="submit" id="end-${String(n)}" aria-labelledby="end-${String(n)} app-${String(n)}">
        End access
      </button>
    </form>
  </li>`;

export const grantsListPage = (
  styleUrl: string,
  shown: {
    readonly action: string;
    readonly csrf: string;
    readonly user: string;
    readonly grants: readonly ShownGrant[];
    readonly next: string | null;
    /** What became of what was done last. */
    readonly done: string | null;
    readonly signOutUrl: string;
  },
): string =>
  page(
    styleUrl,
    'What apps may do',
    html`<h1>What apps may do</h1>
      <p>You are signed in as ${shown.user}. <a href="${shown.signOutUrl}">Sign out</a></p>
      ${shown.done === null ? NOTHING : html`<p class="about" role="status">${shown.done}</p>`}
      ${shown.grants.length === 0 ? html`<p>${shown.next === null ? 'No app has access by you.' : 'None on this page.'}</p>` : NOTHING}
      <ul class="grants">
        ${shown.grants.map((grant, n) => grantItem(grant, n, shown))}
      </ul>
      ${shown.next === null ? NOTHING : html`<p><a class="button second" href="${shown.next}">More</a></p>`}`,
  );

export const notSignedInPage = (styleUrl: string, again: string): string =>
  page(
    styleUrl,
    'What apps may do',
    html`<h1>What apps may do</h1>
      <p>Nobody is signed in here.</p>
      <p><a class="button" href="${again}">Sign in</a></p>`,
  );
