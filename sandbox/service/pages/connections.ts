import { isActive } from '../add-ons.ts';
import { authorizationUrl } from '../authorizer.ts';
import { connectionOf, isAuthorized } from '../connect.ts';
import { API_SOURCES, apiSource } from '../data-sources.ts';
import type { Kit } from '../kit.ts';
import { isUserId } from '../read-request.ts';
import { isReply, type Reply } from '../reply.ts';
import type { Row } from '../route-table.ts';
import type { Client } from '../state.ts';
import { html, page, seeOther, wrongPage } from './html.ts';
import { readForm } from './read-form.ts';

/** The Connections Page: a button per data source, for development only. */
export function connectionsRows(kit: Kit): Row[] {
  const path = '/connections/{client_uuid}/{user_id}';
  function open(params: Readonly<Record<string, string>>): { readonly client: Client; readonly user: string } | Reply {
    const client = kit.state.clients.get(params['client_uuid'] ?? '');
    const user = params['user_id'] ?? '';
    if (client === undefined || !isUserId(user)) return wrongPage(404, 'No such page', 'Check the address.');
    if (client.environment !== 'sandbox' || !isActive(client, 'connections_page'))
      return wrongPage(
        403,
        'Not for production',
        'The Connections Page is for the sandbox alone. Build a page of your own.',
      );
    return { client, user };
  }
  return [
    {
      method: 'GET',
      path,
      handle: ({ params }) => {
        const opened = open(params);
        if (isReply(opened)) return opened;
        const { client, user } = opened;
        return page(
          'Connect your data sources',
          html`<p>${client.name} would like to read your health data. Choose what you use.</p>
            <form method="post">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Data source</th>
                    <th scope="col">State</th>
                    <th scope="col"></th>
                  </tr>
                </thead>
                <tbody>
                  ${API_SOURCES.map(({ name, title }) => {
                    const isOn = isAuthorized(connectionOf(kit, client.uuid, user, name));
                    return html`<tr>
                      <td>${title}</td>
                      <td>${isOn ? 'connected' : 'not connected'}</td>
                      <td>
                        ${isOn ? null : html`<button name="data_source" value="${name}">Connect ${title}</button>`}
                      </td>
                    </tr>`;
                  })}
                </tbody>
              </table>
            </form>`,
        );
      },
    },
    {
      method: 'POST',
      path,
      handle: async (asked) => {
        const opened = open(asked.params);
        if (isReply(opened)) return opened;
        const form = await readForm(asked);
        if (isReply(form)) return form;
        const source = apiSource(form.get('data_source') ?? '');
        if (source === undefined) return wrongPage(400, 'No such data source', 'Choose one of the list.');
        // Without the host: a form may lead to the host that it came from and to no other, whatever name the browser
        // has for this one.
        const { pathname, search } = new URL(authorizationUrl(kit, opened.client.uuid, opened.user, source.name, null));
        return seeOther(pathname + search);
      },
    },
  ];
}
