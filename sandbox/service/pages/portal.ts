import { ADD_ONS, ADD_ON_NAMES, isActive } from '../add-ons.ts';
import { authenticateClient } from '../authenticate.ts';
import type { Kit } from '../kit.ts';
import { isReply, type Asked, type Reply } from '../reply.ts';
import type { Row } from '../route-table.ts';
import type { Brand, Client } from '../state.ts';
import { html, page, seeOther } from './html.ts';
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

function readSettings(form: URLSearchParams): Settings | { readonly wrong: string } {
  const text = (name: string): string => (form.get(name) ?? '').trim();
  const [data, notification, name, logo] = [
    text('data_webhook'),
    text('notification_webhook'),
    text('brand_name'),
    text('brand_logo'),
  ];
  const color = text('brand_color') === '' ? '#1a5fb4' : text('brand_color');
  if (data !== '' && !isHook(data)) return { wrong: 'The Data Webhook must be an https address.' };
  if (notification !== '' && !isHook(notification))
    return { wrong: 'The Notification Webhook must be an https address.' };
  if (!/^#[0-9a-f]{6}$/i.test(color)) return { wrong: 'The brand colour must be of the form #rrggbb.' };
  if (logo !== '' && !/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(logo))
    return { wrong: 'The logo must be a data URL of a PNG.' };
  return {
    dataWebhook: data === '' ? null : data,
    notificationWebhook: notification === '' ? null : notification,
    brand: name === '' ? null : { name, logo: logo === '' ? null : logo, color },
  };
}

function showPortal(client: Client, wrong: string | null): Reply {
  const { brand } = client;
  return page(
    'Client portal',
    html`${wrong === null ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
      <p>Client <code>${client.uuid}</code> (${client.name}), environment ${client.environment}.</p>
      <p>
        Deliveries are signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, by the key
        <code>${client.signingKey}</code>.
      </p>
      <h2>Webhooks and white label</h2>
      <form method="post">
        <label for="data">Data Webhook</label
        ><input id="data" name="data_webhook" type="url" value="${client.dataWebhook ?? ''}" />
        <label for="notification">Notification Webhook</label
        ><input id="notification" name="notification_webhook" type="url" value="${client.notificationWebhook ?? ''}" />
        <label for="brand-name">Company name in the white-label app</label
        ><input id="brand-name" name="brand_name" type="text" maxlength="100" value="${brand?.name ?? ''}" />
        <label for="brand-color">Primary brand colour</label
        ><input
          id="brand-color"
          name="brand_color"
          type="text"
          pattern="#[0-9a-fA-F]{6}"
          value="${brand?.color ?? '#1a5fb4'}"
        />
        <label for="brand-logo">Logo (data URL of a PNG)</label
        ><input id="brand-logo" name="brand_logo" type="text" value="${brand?.logo ?? ''}" /> <button>Save</button>
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
    { status: wrong === null ? 200 : 400 },
  );
}

/** Where a client registers its webhook addresses. The browser asks for client_uuid and secret_key. */
export function portalRows(kit: Kit): Row[] {
  const enter = (asked: Asked): Client | Reply => authenticateClient(kit.state, asked, 'secretKey');
  return [
    {
      method: 'GET',
      path: '/portal',
      handle: (asked) => {
        const client = enter(asked);
        return isReply(client) ? client : showPortal(client, null);
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
        const settings = readSettings(form);
        if ('wrong' in settings) return showPortal(client, settings.wrong);
        kit.state.clients.put(client.uuid, { ...client, ...settings });
        return seeOther('/portal');
      },
    },
  ];
}
