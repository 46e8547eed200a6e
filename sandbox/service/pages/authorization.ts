import { isActive } from '../add-ons.ts';
import { connect, disconnect, isAuthorized } from '../connect.ts';
import { apiSource, type DataSource } from '../data-sources.ts';
import type { Kit } from '../kit.ts';
import { isReply, refuse, type Asked, type Reply } from '../reply.ts';
import type { Row } from '../route-table.ts';
import type { Client, Pending } from '../state.ts';
import { html, page, seeOther, wrongPage } from './html.ts';
import { readForm } from './read-form.ts';

/** Android marks its web views; one of iOS is a WebKit without the word Safari. */
export const isEmbedded = (agent: string): boolean =>
  /; wv\)/.test(agent) ||
  (/\b(iPhone|iPad|iPod)\b/.test(agent) && /AppleWebKit/.test(agent) && !/Safari\//.test(agent));

interface Begun {
  readonly key: string;
  readonly pending: Pending;
  readonly client: Client;
  readonly source: DataSource;
}

/** The authorization that `state` names, or why it cannot go on. */
function begunOf(kit: Kit, asked: Asked, state: string | null): Begun | Reply {
  const source = apiSource(asked.params['data_source'] ?? '');
  const pending = kit.state.pending.get(state ?? '');
  const client = kit.state.clients.get(pending?.client ?? '');
  if (
    source === undefined ||
    state === null ||
    pending === undefined ||
    client === undefined ||
    pending.dataSource !== source.name
  )
    return wrongPage(404, 'Nothing to authorise', 'This address is not known, or was used already. Ask for a new one.');
  if (pending.expiresAt <= kit.clock.now().getTime())
    return wrongPage(410, 'Too late', 'This address has expired. Ask for a new one.');
  return { key: state, pending, client, source };
}

/** Where the user goes afterwards: only with the add-on, and only if an address was given. */
const returnTo = ({ client, pending }: Begun): string | null =>
  pending.redirectUrl !== null && isActive(client, 'callback_url_setup') ? pending.redirectUrl : null;

function showConsent(begun: Begun, typed = 'account-1', wrong: string | null = null): Reply {
  const { key, client, source } = begun;
  const back = returnTo(begun);
  return page(
    `${source.title}: allow access?`,
    html`${wrong === null ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
      <p>
        <strong>${client.name}</strong> asks to read your health data from ${source.title}, through the health data
        service.
      </p>
      <form method="post" action="/provider/${source.name}/authorize">
        <input type="hidden" name="state" value="${key}" />
        <label for="account">Your account at ${source.title}</label>
        <input id="account" name="account" type="text" required maxlength="100" value="${typed}" autocomplete="off" />
        <button name="decision" value="grant">Allow</button
        ><button name="decision" value="refuse" formnovalidate>Refuse</button>
      </form>`,
    { formTarget: back === null ? null : new URL(back).origin, status: wrong === null ? 200 : 400 },
  );
}

function refuseEmbedded(asked: Asked, source: DataSource): Reply | null {
  if (!source.isGoogleBased || !isEmbedded(asked.request.headers['user-agent'] ?? '')) return null;
  return /\bjson\b/.test(asked.request.headers.accept ?? '')
    ? refuse(asked, 403, 'disallowed_useragent')
    : wrongPage(
        403,
        'Error 403: disallowed_useragent',
        'This page cannot be used in an embedded web view. Open it in the browser.',
      );
}

function grant(kit: Kit, begun: Begun, account: string): Reply {
  const { key, pending, source } = begun;
  kit.state.pending.remove(key);
  connect(kit, {
    client: pending.client,
    user: pending.user,
    dataSource: source.name,
    kind: 'api',
    state: 'connected',
    account,
    granted: ['all'],
  });
  const back = returnTo(begun);
  if (back !== null) return seeOther(back);
  return page(
    `${source.title} is connected`,
    html`<p class="note" role="status">Access was granted. You can close this page.</p>`,
  );
}

/** A provider's own pages: consent, and the list of who has access to an account. */
export function authorizationRows(kit: Kit): Row[] {
  const path = '/provider/{data_source}/authorize';
  const accessPath = '/provider/{data_source}/access';
  return [
    {
      method: 'GET',
      path,
      handle: (asked) => {
        const begun = begunOf(kit, asked, asked.url.searchParams.get('state'));
        return isReply(begun) ? begun : (refuseEmbedded(asked, begun.source) ?? showConsent(begun));
      },
    },
    {
      method: 'POST',
      path,
      handle: async (asked) => {
        const form = await readForm(asked);
        if (isReply(form)) return form;
        const begun = begunOf(kit, asked, form.get('state'));
        if (isReply(begun)) return begun;
        const embedded = refuseEmbedded(asked, begun.source);
        if (embedded !== null) return embedded;
        const account = (form.get('account') ?? '').trim();
        if (form.get('decision') === 'refuse') {
          kit.state.pending.remove(begun.key);
          return page('Refused', html`<p class="note" role="status">Access was not granted. Nothing has changed.</p>`);
        }
        if (form.get('decision') !== 'grant' || account === '' || account.length > 100)
          return showConsent(begun, form.get('account') ?? '', 'Name your account, and allow or refuse.');
        return grant(kit, begun, account);
      },
    },
    {
      method: 'GET',
      path: accessPath,
      handle: (asked) => {
        const source = apiSource(asked.params['data_source'] ?? '');
        const account = asked.url.searchParams.get('account') ?? '';
        if (source === undefined) return wrongPage(404, 'No such provider', 'Check the address.');
        const entries = kit.state.connections
          .all()
          .filter(([, one]) => one.dataSource === source.name && one.account === account && isAuthorized(one));
        return page(
          `${source.title}: who has access`,
          html`<form method="get">
              <label for="account">Account</label
              ><input id="account" name="account" type="text" value="${account}" /><button>Show</button>
            </form>
            <h2>Access</h2>
            ${entries.length === 0 ? html`<p>Nobody has access to this account.</p>` : null}
            ${entries.map(
              ([key, one]) =>
                html`<form method="post">
                  <input type="hidden" name="connection" value="${key}" />
                  <p>${kit.state.clients.get(one.client)?.name ?? one.client} <button>Take access away</button></p>
                </form>`,
            )}`,
        );
      },
    },
    {
      method: 'POST',
      path: accessPath,
      handle: async (asked) => {
        const form = await readForm(asked);
        if (isReply(form)) return form;
        const connection = kit.state.connections.get(form.get('connection') ?? '');
        if (
          connection === undefined ||
          connection.kind !== 'api' ||
          connection.dataSource !== asked.params['data_source']
        )
          return wrongPage(404, 'Nothing to take away', 'There is no such access.');
        disconnect(kit, connection, 'provider');
        return seeOther(`${asked.url.pathname}?account=${encodeURIComponent(connection.account)}`);
      },
    },
  ];
}
