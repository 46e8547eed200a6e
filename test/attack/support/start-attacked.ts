import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../src/kernel/index.ts';
import { startGateway, type Gateway } from '../../../src/gateway/index.ts';
import { collectLog } from '../../support/collect-log.ts';
import { configOf } from '../../support/gateway.ts';
import { sqlitePlace } from '../../support/new-store.ts';
import { ask, type Answered, type Asked } from './ask.ts';
import { startHostileEhr, type HostileEhr, type Mode } from './hostile-ehr.ts';
import { sign, soundClaims, startIssuer, type Claims, type Issuer } from './issuer.ts';
import { judge, judgeHeard, type Expected, type Judged } from './oracle.ts';
import { HOST_MARKER, idOf, MRN_SYSTEM, mrnOf, OWNERS, wordOf, type Owner } from './world.ts';

export const ADMIN_TOKEN = 'operator-'.repeat(5);
const CLIENT = 'attack-client';
const LINKED: readonly Owner[] = ['alpha', 'bravo'];

/** The gateway under attack, its issuer and its EHR. Alpha and bravo are linked, charl is not. */
export interface Attacked {
  readonly gateway: Gateway;
  readonly ehr: HostileEhr;
  readonly issuer: Issuer;
  readonly publicUrl: string;
  /** Everything that the gateway wrote to its log. */
  readonly logText: () => string;
  /** `Bearer` and a token with these claims; by default alpha's own, for every type. */
  bearer(claims?: Claims, header?: Claims): Promise<string>;
  ask(asked: Asked): Promise<Answered>;
  /**
   * Asks with a token of these claims and judges the answer; what the gateway sent to the EHR meanwhile is judged too.
   */
  attack(row: AttackRow): Promise<{ readonly answer: Answered; readonly wrong: readonly string[] }>;
  stop(): Promise<void>;
}

export interface AttackRow
  extends Omit<Asked, 'headers'>, Partial<Pick<Judged, 'strangers' | 'forbidden' | 'allowedTypes'>> {
  readonly expected: Expected;
  readonly claims?: Claims;
  /** A token used before, instead of a new one with `claims`: what is bound to a token can be shown only so. */
  readonly authorization?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A gateway on a port that its own public address names, so that its links can be followed. */
export async function startAt(settings: (publicUrl: string) => Record<string, string>): Promise<{
  readonly gateway: Gateway;
  readonly publicUrl: string;
  readonly logText: () => string;
  stop(): Promise<void>;
}> {
  const place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const log = collectLog();
  const gateway = await startGateway({
    config: configOf(`sqlite:${place.database.file}?filesystem=any`, {
      CHARTGATE_PORT: String(port),
      CHARTGATE_PUBLIC_URL: publicUrl,
      CHARTGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      CHARTGATE_CLIENT_UUID: CLIENT,
      ...settings(publicUrl),
    }),
    clock: systemClock,
    log,
  });
  return {
    gateway,
    publicUrl,
    logText: () => JSON.stringify(log.lines),
    stop: async () => {
      await gateway.stop();
      await place.remove();
    },
  };
}

async function link(port: number, owner: Owner): Promise<void> {
  const answer = await ask(port, {
    method: 'PUT',
    path: `/admin/api/links/user-${owner}`,
    headers: [
      ['Authorization', `Bearer ${ADMIN_TOKEN}`],
      ['Content-Type', 'application/json'],
    ],
    body: JSON.stringify({ mrn: mrnOf(owner), client_uuid: CLIENT }),
  });
  if (answer.status !== 200) throw new Error(`link of ${owner}: ${answer.status} ${answer.body}`);
}

export async function startAttacked(mode: Mode = 'honest'): Promise<Attacked> {
  const [ehr, issuer] = await Promise.all([startHostileEhr(), startIssuer()]);
  const { gateway, publicUrl, logText, stop } = await startAt(() => ({
    CHARTGATE_EHR_URL: ehr.base,
    CHARTGATE_MRN_SYSTEM: MRN_SYSTEM,
    CHARTGATE_AUTH_ISSUER: issuer.url,
    CHARTGATE_AUTH_JWKS_URL: issuer.jwksUrl,
  }));
  for (const owner of LINKED) await link(gateway.port, owner);
  ehr.become(mode);
  const bearer = async (claims: Claims = {}, header: Claims = {}): Promise<string> =>
    `Bearer ${await sign(issuer.keys, soundClaims(issuer.url, `${publicUrl}/fhir`, claims), header)}`;
  const said = (asked: Asked): Promise<Answered> => ask(gateway.port, asked);
  return {
    gateway,
    ehr,
    issuer,
    publicUrl,
    logText,
    bearer,
    ask: said,
    attack: async ({
      claims,
      authorization: given,
      expected,
      strangers = ['bravo', 'charl'],
      forbidden = [],
      allowedTypes,
      headers = [],
      ...row
    }) => {
      const authorization = given ?? (await bearer(claims));
      const asked = { ...row, headers: [['Authorization', authorization] as const, ...headers] };
      const from = ehr.heard.length;
      const answer = await said(asked);
      const wrong = [
        ...judge({
          asked,
          answer,
          expected,
          strangers,
          forbidden,
          ehrPorts: [ehr.port],
          ...(allowedTypes === undefined ? {} : { allowedTypes }),
        }),
        ...judgeHeard(ehr.heard.slice(from), [authorization.slice(7)]),
      ];
      return { answer, wrong };
    },
    stop: async () => {
      await stop();
      await Promise.all([ehr.close(), issuer.close()]);
    },
  };
}

/** What a log, like an answer, must not hold. */
export const PATIENT_MARKERS: readonly string[] = [
  ...OWNERS.flatMap((owner) => [idOf(owner), wordOf(owner)]),
  HOST_MARKER,
];
