import { openBinding } from '../binding.ts';
import { connect, connectionOf, connectionsOf, disconnect, isAuthorized } from '../connect.ts';
import { MOBILE_SOURCES, mobileSource } from '../data-sources.ts';
import type { Kit } from '../kit.ts';
import { isReply, type Asked, type Reply } from '../reply.ts';
import type { Row } from '../route-table.ts';
import type { Connection, Device } from '../state.ts';
import { html, page, seeOther, wrongPage, type Html } from './html.ts';
import { readForm } from './read-form.ts';
import { readPicture, readQrCode } from './scan-code.ts';

type Bound = NonNullable<Device['bound']>;

const deviceOf = ({ request }: Asked): string | null =>
  /(?:^|;\s*)device=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1] ?? null;

function showScan(link = ''): Html {
  return html`<p>Scan the code that you were given, or open its link.</p>
    <form method="post" action="/app/scan" enctype="multipart/form-data">
      <label for="picture">Picture of the code (PNG)</label
      ><input id="picture" name="picture" type="file" accept="image/png" required /><button>Scan</button>
    </form>
    <form method="post" action="/app/scan">
      <label for="link">Link</label><input id="link" name="link" type="url" required value="${link}" /><button>
        Open
      </button>
    </form>`;
}

const askForWord = (): Html =>
  html`<p>Give the word of 4 to 6 characters that came with the code.</p>
    <form method="post">
      <label for="salt">Word</label
      ><input id="salt" name="salt" type="text" required minlength="4" maxlength="6" autocomplete="off" /><button>
        Go on
      </button>
    </form>`;

const showTerms = ({ clientName, tycUrl }: Bound): Html =>
  html`<h2>Terms</h2>
    <p>${clientName} asks to collect health data from this device. Nothing is collected before you accept.</p>
    ${tycUrl === null ? null : html`<p><a href="${tycUrl}" rel="noreferrer">Terms and conditions</a></p>`}
    <form method="post" action="/app/terms"><button>Accept the terms</button></form>`;

function showSource(
  name: string,
  title: string,
  permissions: readonly string[],
  connection: Connection | undefined,
): Html {
  const unlink = html`<form method="post" action="/app/unlink">
    <input type="hidden" name="data_source" value="${name}" /><button>Unlink ${title}</button>
  </form>`;
  if (connection !== undefined && isAuthorized(connection))
    return connection.state === 'connected'
      ? html`<h2>${title}</h2>
          <p class="note">Linked. Data is extracted in the background.</p>
          ${unlink}`
      : html`<h2>${title}</h2>
          <p class="wrong" role="alert">
            Incomplete: a permission was denied. Unlink it, and link it again with all permissions.
          </p>
          ${unlink}`;
  return html`<h2>${title}</h2>
    <form method="post" action="/app/connect">
      <input type="hidden" name="data_source" value="${name}" />
      <fieldset>
        <legend>Allow this app to read</legend>
        ${permissions.map(
          (one) => html`<label><input type="checkbox" name="permission" value="${one}" checked /> ${one}</label>`,
        )}
      </fieldset>
      <button>Link ${title}</button>
    </form>`;
}

/**
 * The simulated extraction app: a phone is a cookie, its camera a form. What it collects is not its business; it links
 * and unlinks, and whoever simulates data reads the connections.
 */
export function extractionAppRows(kit: Kit): Row[] {
  const { devices, bindings, clients } = kit.state;
  const linkedBy = (device: string): readonly Connection[] =>
    kit.state.connections
      .all()
      .map(([, one]) => one)
      .filter((one) => one.kind === 'mobile' && one.account === device && isAuthorized(one));

  function home(device: string): Reply {
    const bound = devices.get(device)?.bound ?? null;
    const cookie = { 'Set-Cookie': `device=${device}; Path=/app; HttpOnly; SameSite=Lax; Max-Age=31536000` };
    if (bound === null || !bound.isLoggedIn) {
      const left = linkedBy(device).length;
      const note =
        left === 0 ? null : html`<p class="note">You are logged out. ${left} data source(s) are still linked.</p>`;
      return page('Extraction app', html`${note}${showScan()}`, { headers: cookie });
    }
    const brand = clients.get(bound.client)?.brand ?? null;
    const head = html`${brand === null ? null : html`<link rel="stylesheet" href="/app/brand/${encodeURIComponent(bound.client)}/style.css" />`}
      ${brand === null || brand.logo === null ? null : html`<img class="logo" src="${brand.logo}" alt="" />`}
      <p>
        Configured for ${bound.clientName}, environment
        ${bound.environment}.${bound.supportUrl === null ? null : html` <a href="${bound.supportUrl}" rel="noreferrer">Support</a>`}
      </p>`;
    const body =
      bound.termsAcceptedAt === null
        ? showTerms(bound)
        : html`${MOBILE_SOURCES.map(({ name, title, permissions }) =>
            showSource(name, title, permissions, connectionOf(kit, bound.client, bound.user, name)),
          )}`;
    const out = html`<h2>Log out</h2>
      <p>
        ${bound.completeLogOut ? 'Logging out unlinks all data sources.' : 'Data sources stay linked when you log out.'}
      </p>
      <form method="post" action="/app/log-out"><button>Log out</button></form>`;
    return page(brand?.name ?? 'Extraction app', html`${head}${body}${out}`, { headers: cookie });
  }

  /** A form of a device that is bound and logged in. */
  const withBound =
    (use: (device: string, bound: Bound, form: URLSearchParams) => Reply | null) =>
    async (asked: Asked): Promise<Reply> => {
      const form = await readForm(asked);
      if (isReply(form)) return form;
      const device = deviceOf(asked);
      const bound = device === null ? null : (devices.get(device)?.bound ?? null);
      if (device === null || bound === null || !bound.isLoggedIn)
        return wrongPage(409, 'Not bound', 'Scan a code first.');
      return use(device, bound, form) ?? seeOther('/app');
    };

  async function scan(asked: Asked): Promise<Reply> {
    const isPicture = /^multipart\/form-data/i.test(asked.request.headers['content-type'] ?? '');
    let said: string | null;
    if (isPicture) {
      const picture = await readPicture(asked);
      said = picture === null ? null : readQrCode(picture);
    } else {
      const form = await readForm(asked);
      if (isReply(form)) return form;
      said = form.get('link');
    }
    const start = `${kit.base()}/app/bind/`;
    const reference = said?.startsWith(start) === true ? said.slice(start.length) : '';
    return /^[0-9a-f-]{36}$/.test(reference)
      ? seeOther(`/app/bind/${reference}`)
      : page(
          'Not a code of this service',
          html`<p class="wrong" role="alert">The code could not be read, or is of another service.</p>
            ${showScan(isPicture ? '' : (said ?? ''))}`,
          { status: 400 },
        );
  }

  async function bind(asked: Asked): Promise<Reply> {
    const form = await readForm(asked);
    if (isReply(form)) return form;
    const reference = asked.params['reference'] ?? '';
    const binding = bindings.get(reference);
    const client = clients.get(binding?.client ?? '');
    if (binding === undefined || client === undefined) return wrongPage(404, 'No such binding', 'Ask for a new code.');
    const content = openBinding(binding, form.get('salt') ?? '', reference);
    if (content === null)
      return page(
        'Wrong word',
        html`<p class="wrong" role="alert">The word does not open this code.</p>
          ${askForWord()}`,
        { status: 403 },
      );
    const device = deviceOf(asked) ?? kit.newUuid();
    const before = devices.get(device)?.bound ?? null;
    if (
      before !== null &&
      before.environment !== client.environment &&
      (before.isLoggedIn || linkedBy(device).length > 0)
    )
      return wrongPage(
        409,
        'Bound elsewhere',
        'This device is bound to another environment. Log out there and unlink its data sources first.',
      );
    if (before?.isLoggedIn === true && before.binding !== reference)
      return wrongPage(409, 'Bound already', 'Log out first.');
    devices.put(device, {
      bound: {
        binding: reference,
        client: client.uuid,
        environment: client.environment,
        termsAcceptedAt: before?.binding === reference ? before.termsAcceptedAt : null,
        isLoggedIn: true,
        ...content,
      },
    });
    return seeOther('/app', { 'Set-Cookie': `device=${device}; Path=/app; HttpOnly; SameSite=Lax; Max-Age=31536000` });
  }

  const post = (path: string, handle: Row['handle']): Row => ({ method: 'POST', path, handle });
  return [
    { method: 'GET', path: '/app', handle: (asked) => home(deviceOf(asked) ?? kit.newUuid()) },
    {
      method: 'GET',
      path: '/app/brand/{client_uuid}/style.css',
      handle: ({ params }) => ({
        status: 200,
        headers: { 'Content-Type': 'text/css' },
        body: `h1 { border-bottom: .3rem solid ${clients.get(params['client_uuid'] ?? '')?.brand?.color ?? '#1a5fb4'}; }\n`,
      }),
    },
    {
      method: 'GET',
      path: '/app/bind/{reference}',
      handle: ({ params }) =>
        bindings.get(params['reference'] ?? '') === undefined
          ? wrongPage(404, 'No such binding', 'Ask for a new code.')
          : page('Extraction app', askForWord()),
    },
    post('/app/bind/{reference}', bind),
    post('/app/scan', scan),
    post(
      '/app/terms',
      withBound((device, bound) => {
        devices.put(device, { bound: { ...bound, termsAcceptedAt: kit.clock.now().getTime() } });
        return null;
      }),
    ),
    post(
      '/app/connect',
      withBound((device, bound, form) => {
        const source = mobileSource(form.get('data_source') ?? '');
        if (source === undefined) return wrongPage(400, 'No such data source', 'Choose one of the list.');
        if (bound.termsAcceptedAt === null) return wrongPage(409, 'Terms', 'Accept the terms first.');
        const connection = connectionOf(kit, bound.client, bound.user, source.name);
        if (isAuthorized(connection)) return wrongPage(409, 'Linked already', 'Unlink it first, then link it again.');
        const granted = source.permissions.filter((one) => form.getAll('permission').includes(one));
        connect(kit, {
          client: bound.client,
          user: bound.user,
          dataSource: source.name,
          kind: 'mobile',
          state: granted.length === source.permissions.length ? 'connected' : 'incomplete',
          account: device,
          granted,
        });
        return null;
      }),
    ),
    post(
      '/app/unlink',
      withBound((_device, bound, form) => {
        const connection = connectionOf(kit, bound.client, bound.user, form.get('data_source') ?? '');
        if (connection?.kind === 'mobile') disconnect(kit, connection, 'app');
        return null;
      }),
    ),
    post(
      '/app/log-out',
      withBound((device, bound) => {
        if (bound.completeLogOut)
          for (const connection of connectionsOf(kit, bound.client, bound.user))
            if (connection.kind === 'mobile') disconnect(kit, connection, 'app');
        devices.put(device, { bound: { ...bound, isLoggedIn: false } });
        return null;
      }),
    ),
  ];
}
