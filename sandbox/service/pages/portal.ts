import { ADD_ONS, ADD_ON_NAMES, isActive } from '../add-ons.ts';
import { authenticateClient } from '../authenticate.ts';
import type { Kit } from '../kit.ts';
import { isReply, type Asked, type Reply } from '../reply.ts';
import type { Row } from '../route-table.ts';
import type { Brand, Client } from '../state.ts';
import { html, page, seeOther, type Html } from './html.ts';
import { readForm } from './read-form.ts';

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** HTTPS, or this machine: what is sent there is health data. */
const isHook = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username + password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
};

interface Settings {
  readonly dataWebhook: string | null;
  readonly notificationWebhook: string | null;
  readonly brand: Brand | null;
}

const FIELDS = ['data_webhook', 'notification_webhook', 'brand_name', 'brand_color', 'brand_logo'] as const;
type Field = (typeof FIELDS)[number];
type Typed = Readonly<Record<Field, string>>;
interface Mistake {
  readonly field: Field;
  readonly wrong: string;
}

const COLOR = '#0a5a55';

const typedOf = (form: URLSearchParams): Typed =>
  Object.fromEntries(FIELDS.map((name) => [name, (form.get(name) ?? '').trim()])) as Typed;

const typedBefore = ({ dataWebhook, notificationWebhook, brand }: Client): Typed => ({
  data_webhook: dataWebhook ?? '',
  notification_webhook: notificationWebhook ?? '',
  brand_name: brand?.name ?? '',
  brand_color: brand?.color ?? COLOR,
  brand_logo: brand?.logo ?? '',
});

function readSettings(typed: Typed): Settings | Mistake {
  const { data_webhook: data, notification_webhook: notification, brand_name: name, brand_logo: logo } = typed;
  const color = typed.brand_color === '' ? COLOR : typed.brand_color;
  const mistake = (field: Field, wrong: string): Mistake => ({ field, wrong });
  if (data !== '' && !isHook(data)) return mistake('data_webhook', 'The Data Webhook must be an https address.');
  if (notification !== '' && !isHook(notification))
    return mistake('notification_webhook', 'The Notification Webhook must be an https address.');
  if (!/^#[0-9a-f]{6}$/i.test(color)) return mistake('brand_color', 'The brand colour must be of the form #rrggbb.');
  if (logo !== '' && !/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(logo))
    return mistake('brand_logo', 'The logo must be a data URL of a PNG.');
  return {
    dataWebhook: data === '' ? null : data,
    notificationWebhook: notification === '' ? null : notification,
    brand: name === '' ? null : { name, logo: logo === '' ? null : logo, color },
  };
}

const LABELS: Readonly<Record<Field, readonly [label: string, type: 'url' | 'text', hint: string]>> = {
  data_webhook: ['Data Webhook', 'url', 'An https address, or one of this machine.'],
  notification_webhook: ['Notification Webhook', 'url', 'An https address, or one of this machine.'],
  brand_name: ['Company name in the white-label app', 'text', 'Empty: the app has no brand.'],
  brand_color: ['Primary brand colour', 'text', 'Of the form #rrggbb.'],
  brand_logo: ['Logo (data URL of a PNG)', 'text', ''],
};

/** One field with what was typed into it last, right or wrong. */
function fieldOf(name: Field, typed: Typed, mistake: Mistake | null): Html {
  const [label, type, hint] = LABELS[name];
  const isWrong = mistake?.field === name;
  const about = isWrong ? mistake.wrong : hint;
  const described = about === '' ? null : html` aria-describedby="${name}-about"`;
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${typed[name]}"
      ${isWrong ? html`aria-invalid="true"` : null}${described}
    />
    ${about === '' ? null : html`<p class="hint" id="${name}-about">${about}</p>`}`;
}

function showPortal(client: Client, typed: Typed, outcome: Mistake | 'saved' | null): Reply {
  const mistake = outcome === 'saved' ? null : outcome;
  return page(
    'Client portal',
    html`${mistake === null ? null : html`<p class="wrong" role="alert">${mistake.wrong} Nothing was saved yet.</p>`}
      ${outcome === 'saved' ? html`<p class="note" role="status">Saved.</p>` : null}
      <p>Client <code>${client.uuid}</code> (${client.name}), environment ${client.environment}.</p>
      <p>
        Deliveries are signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, by the key
        <code>${client.signingKey}</code>.
      </p>
      <h2>Webhooks and white label</h2>
      <form method="post" action="/portal">
        ${FIELDS.map((name) => fieldOf(name, typed, mistake))}
        <button>Save</button>
      </form>
      <h2>Add-ons</h2>
      <p>Support activates them; there is no switch here.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Add-on</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          ${ADD_ON_NAMES.map(
            (name) =>
              html`<tr>
                <td>${ADD_ONS[name].title}</td>
                <td>${isActive(client, name) ? 'active' : 'not active'}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    { status: mistake === null ? 200 : 400, kind: 'own' },
  );
}

/** What a browser shows when somebody closes its question for a password. */
function withWords(reply: Reply, { request }: Asked): Reply {
  if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply;
  const shown = page(
    'The portal asks who you are',
    html`<p class="wrong" role="alert">Without the client&rsquo;s name and password nothing is shown here.</p>
      <p>
        The user name is the client_uuid, the password its secret_key. A demonstration prints both when it starts, in
        the line that begins with &ldquo;portal&rdquo;.
      </p>
      <p><a href="/portal">Try again</a></p>`,
    { status: reply.status, kind: 'own' },
  );
  return { ...shown, headers: { ...reply.headers, ...shown.headers } };
}

/** Where a client registers its webhook addresses. The browser asks for client_uuid and secret_key. */
export function portalRows(kit: Kit): Row[] {
  const enter = (asked: Asked): Client | Reply => {
    const client = authenticateClient(kit.state, asked, 'secretKey');
    return isReply(client) ? withWords(client, asked) : client;
  };
  return [
    {
      method: 'GET',
      path: '/portal',
      handle: (asked) => {
        const client = enter(asked);
        if (isReply(client)) return client;
        return showPortal(client, typedBefore(client), asked.url.searchParams.has('saved') ? 'saved' : null);
      },
    },
    {
      method: 'POST',
      path: '/portal',
      handle: async (asked) => {
        const client = enter(asked);
        if (isReply(client)) return client;
        const form = await readForm(asked);
        if (isReply(form)) return form;
        const typed = typedOf(form);
        const settings = readSettings(typed);
        if ('wrong' in settings) return showPortal(client, typed, settings);
        kit.state.clients.put(client.uuid, { ...client, ...settings });
        return seeOther('/portal?saved');
      },
    },
  ];
}
