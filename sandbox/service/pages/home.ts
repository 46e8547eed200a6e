import type { Sender } from '../../delivery/index.ts';
import { isActive } from '../add-ons.ts';
import { connectionsOf, isAuthorized } from '../connect.ts';
import { API_SOURCES, MOBILE_SOURCES } from '../data-sources.ts';
import type { Link } from '../introduction.ts';
import type { Kit } from '../kit.ts';
import type { Row } from '../route-table.ts';
import type { User } from '../state.ts';
import { html, page, type Html } from './html.ts';

const SHOWN_MAX = 60;
const TITLES = new Map([...API_SOURCES, ...MOBILE_SOURCES].map(({ name, title }) => [name, title]));

const number = (value: number): string => value.toLocaleString('en');

/** On every card they have the same words, so each says whose it is to whoever hears them in a list. */
const linksOf = (links: readonly Link[], whose: string): Html | null =>
  links.length === 0
    ? null
    : html`<p class="links">
        ${links.map(({ words, url }) => html`<a href="${url}">${words}<span class="unseen"> of ${whose}</span></a> `)}
      </p>`;

function personCard(kit: Kit, { client, user }: User): Html {
  const known = kit.introduction().person(user);
  const owner = kit.state.clients.get(client);
  const connections = connectionsOf(kit, client, user);
  const mayConnect = owner?.environment === 'sandbox' && isActive(owner, 'connections_page');
  const path = `${encodeURIComponent(client)}/${encodeURIComponent(user)}`;
  return html`<li class="card">
    <h3>${known?.name ?? user}</h3>
    <p class="quiet">${known === null ? `of ${owner?.name ?? client}` : `${known.about}, ${user}`}</p>
    ${
      connections.length === 0
        ? html`<p>No data source yet.</p>`
        : html`<ul class="sources">
            ${connections.map(
              (one) =>
                html`<li class="${isAuthorized(one) ? 'on' : 'off'}">
                  ${TITLES.get(one.dataSource) ?? one.dataSource}${one.state === 'connected' ? '' : `: ${one.state}`}
                </li>`,
            )}
          </ul>`
    }
    ${linksOf(
      [...(mayConnect ? [{ words: 'Data sources', url: `/connections/${path}` }] : []), ...(known?.links ?? [])],
      known?.name ?? user,
    )}
  </li>`;
}

function factsOf(kit: Kit, sender: Sender, users: number): Html {
  const counts = kit.state.clients
    .all()
    .flatMap(([uuid]) => [sender.counts(uuid, 'data'), sender.counts(uuid, 'notification')]);
  const sum = (of: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + of(one), 0);
  const [connected, speed] = [
    kit.state.connections.all().filter(([, one]) => isAuthorized(one)).length,
    kit.clock.speed(),
  ];
  const fact = (name: string, value: string, more: string): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value} <small>${more}</small></dd>
    </div>`;
  return html`<dl class="facts">
    ${fact(
      'Time of these people',
      kit.clock.now().toISOString().slice(0, 16).replace('T', ' '),
      speed === 1 ? 'UTC, as fast as the clock' : `UTC, ${number(speed)} times as fast as the clock`,
    )}
    ${fact('People', number(users), `with ${number(connected)} connected data sources`)}
    ${fact(
      'Deliveries to webhooks',
      number(sum(({ acknowledged }) => acknowledged)),
      `acknowledged; ${number(sender.waiting())} wait, ${number(sum(({ givenUp }) => givenUp))} were given up`,
    )}
  </dl>`;
}

/** The first page: what this is, who is in it, and where to go from here. */
export const homeRow = (kit: Kit, sender: Sender): Row => ({
  method: 'GET',
  path: '/',
  handle: () => {
    const users = kit.state.users
      .all()
      .map(([, one]) => one)
      .sort((a, b) => a.user.localeCompare(b.user, 'en', { numeric: true }));
    const { beside } = kit.introduction();
    const others = users.length - SHOWN_MAX;
    return page(
      'Sandbox of the health data service',
      html`<p class="lead">
          It plays the service that collects data of wearables and laboratory documents and sends them to the gateway.
          Everybody in it is invented, and lives in simulated time.
        </p>
        ${factsOf(kit, sender, users.length)}
        <h2>People and what they have connected</h2>
        ${
          users.length === 0
            ? html`<p>
                Nobody is here yet. A demonstration connects its people within seconds of its start: look again then.
              </p>`
            : html`<ul class="cards">
                ${users.slice(0, SHOWN_MAX).map((user) => personCard(kit, user))}
              </ul>`
        }
        ${others > 0 ? html`<p class="quiet">And ${number(others)} others.</p>` : null}
        <h2>Pages of the service</h2>
        <ul class="cards few">
          <li class="card">
            <h3><a href="/portal">Client portal</a></h3>
            <p>Where a client sets its webhooks and white label, and sees its signing key and add-ons.</p>
            <p class="quiet">Asks for the client&rsquo;s name and password, which the start has printed.</p>
          </li>
          <li class="card">
            <h3><a href="/app">Extraction app</a></h3>
            <p>The app on a patient&rsquo;s phone. Your browser is the phone; a link or a picture is its camera.</p>
            <p class="quiet">Asks for a code, which the gateway makes for a patient.</p>
          </li>
          <li class="card">
            <h3><a href="/_control/lab-report/7/1">An invented laboratory report</a></h3>
            <p>A PDF, the same for the same two numbers of its address. Upload it for a patient.</p>
          </li>
        </ul>
        ${
          beside.length === 0
            ? null
            : html`<h2>What runs beside it</h2>
                <ul class="cards few">
                  ${beside.map(
                    ({ words, url, about }) =>
                      html`<li class="card">
                        <h3><a href="${url}">${words}</a></h3>
                        <p>${about}</p>
                      </li>`,
                  )}
                </ul>`
        }`,
      { kind: 'wide' },
    );
  },
});
