/*
 * A page names the ports that its reader has; a test has ports of its own. All that is changed of a page's text before it
 * is carried out is in this file.
 */

/** Ports that pages may name: those of the demonstration, and what else they start. */
export const PAGE_PORTS = [8080, 8081, 8082, 8083, 8084, 8090, 8103] as const;
export type PagePort = (typeof PAGE_PORTS)[number];
export type Ports = Readonly<Record<PagePort, number>>;

const WHERE = new RegExp(`\\b(?:${PAGE_PORTS.join('|')})\\b`, 'g');

export const putPorts = (text: string, ports: Ports): string =>
  text.replace(WHERE, (port) => String(ports[Number(port) as PagePort]));

/** Commands that begin with a default port are told theirs; packages are there already. */
export function putCommand(text: string, ports: Ports): string {
  const demo = `--port ${ports[8080]} --ehr-port ${ports[8081]} --service-port ${ports[8082]} --app-port ${ports[8083]}`;
  return putPorts(text, ports)
    .replace(/\bnpm ci && /g, '')
    .replace(/\bnpm start\b(?: --(?= ))?/g, `npm start -- ${demo}`)
    .replace(/\bnpm run ehr:hapi\b(?: --(?= ))?/g, `npm run ehr:hapi -- --port ${ports[8090]}`);
}

/** What would change the checkout that the test runs from. */
export const touchesPackages = (text: string): boolean => /\bnpm (?:ci|i|install|uninstall|update)\b/.test(text);
