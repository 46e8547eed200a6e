import { randomUUID } from 'node:crypto';
import { auditSet, checkAuditKeys } from '../audit/index.ts';
import { lookAtIssuer } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { makeResolvePatient, openEhr, probeEhr } from '../ehr/index.ts';
import {
  fault,
  HANDLING,
  makeBudget,
  makeNewId,
  makePooledChance,
  silentLog,
  StartError,
  systemClock,
  type Fault,
} from '../kernel/index.ts';
import { lookAtStore, openForReading } from '../store/index.ts';
import { openSource } from '../source/index.ts';
import { exitOf } from './exit-of.ts';
import { EXIT } from './command.ts';

/** `exit`: what the process would end with if this were all that is wrong. */
export interface Checked {
  readonly part: 'database' | 'ehr' | 'issuer' | 'source' | 'source-lab';
  readonly exit: number;
  readonly text: string;
}

/** What the process ends with: the worst of what was found. */
export const worstOf = (checked: readonly Checked[]): number => Math.max(EXIT.ok, ...checked.map(({ exit }) => exit));

const LAB_WAIT_MS = 10_000;
const hostOf = (url: string): string => new URL(url).host;

const fine = (part: Checked['part'], text: string): Checked => ({ part, exit: EXIT.ok, text });

/** What waiting may mend is not reachable; the rest is configured wrongly, here or there. */
function refused(part: Checked['part'], where: string, { code, kind }: Fault, hint: string): Checked {
  const { retry, text } = HANDLING[kind];
  return { part, exit: retry === 'later' ? EXIT.unavailable : EXIT.config, text: `${where}: ${code}. ${text} ${hint}` };
}

async function checkDatabase(config: Config): Promise<Checked> {
  const { database } = config.store;
  const { keys, environment } = config;
  try {
    const { version, applied, steps } = await lookAtStore({
      database,
      keys,
      environment,
      clock: systemClock,
      log: silentLog,
    });
    if (applied > 0) {
      const store = await openForReading(database, [auditSet]);
      try {
        await checkAuditKeys(store.use(auditSet), keys.audit);
      } finally {
        await store.close();
      }
    }
    const name = `${database.engine}${version === null ? '' : ` ${version}`}`;
    const what =
      applied === 0 ? 'is new: the first start makes it' : `is ours; the next start takes ${steps} schema steps`;
    return fine('database', `${name} ${what}.`);
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    return { part: 'database', exit: exitOf(thrown), text: thrown.message };
  }
}

/** What it can, and a look for a patient whom nobody has: whether we may search, and whether the search filters. */
async function checkEhr(config: Config): Promise<Checked> {
  const chance = makePooledChance();
  const newId = makeNewId({ now: () => systemClock.now().getTime(), chance });
  const ehr = openEhr({ target: config.ehr, access: 'read-only', clock: systemClock, chance, newId });
  const where = `The EHR at ${hostOf(config.ehr.url)}`;
  const newRequestId = (): string => newId('req');
  try {
    const probed = await probeEhr({ ehr, chance, newRequestId });
    if (!probed.ok)
      return refused(
        'ehr',
        `${where} did not say what it can (metadata)`,
        probed.fault,
        'CHARTGATE_EHR_URL and CHARTGATE_EHR_AUTH say how it is asked.',
      );
    const resolve = makeResolvePatient({ ehr, mode: 'lookup', searchBy: () => 'unknown', mayCreate: () => 'no' });
    const { mrnSystem } = config.identity;
    const found = await resolve({ mrnSystem, mrn: `chartgate-check-${randomUUID()}`, requestId: newRequestId() });
    if (found.ok || found.fault.code !== 'patient.none') {
      const why = found.ok ? fault('patient.unverified') : found.fault;
      return refused(
        'ehr',
        `${where} did not look up a patient`,
        why,
        'CHARTGATE_MRN_SYSTEM and the rights of our client there decide.',
      );
    }
    const { software } = probed.value.capability;
    return fine('ehr', `${where} answers${software === null ? '' : ` (${software})`}, and looks up patients.`);
  } finally {
    await ehr.close();
  }
}

async function checkIssuer(auth: Extract<Config['auth'], { kind: 'external' }>): Promise<Checked> {
  const where = `The issuer at ${hostOf(auth.issuer)}`;
  const looked = await lookAtIssuer(auth, systemClock);
  if (looked.ok) return fine('issuer', `${where} answers, under its own name.`);
  // Without a cause somebody answered, and said something else.
  return looked.fault.cause === undefined
    ? {
        part: 'issuer',
        exit: EXIT.config,
        text: `${where} has another name, no keys, or refuses our client. Check CHARTGATE_AUTH_ISSUER, to the letter, and the other CHARTGATE_AUTH_* settings.`,
      }
    : {
        part: 'issuer',
        exit: EXIT.unavailable,
        text: `${where} cannot be reached. Check CHARTGATE_AUTH_ISSUER and the network.`,
      };
}

async function checkSource(config: Config, url: string): Promise<Checked> {
  const { clientUuid } = config.ingest;
  const source = openSource({
    settings: { ...config.source, clientUuid },
    agent: 'chartgate',
    budget: makeBudget(config.memory.roomBytes),
    clock: systemClock,
    chance: makePooledChance(),
  });
  const where = `The health data service at ${hostOf(url)}`;
  try {
    // A read that is about no patient.
    const rule = await source.readRule(null);
    return rule.ok
      ? fine('source', `${where} answers.`)
      : refused(
          'source',
          `${where} did not answer`,
          rule.fault,
          'CHARTGATE_SOURCE_URL, CHARTGATE_CLIENT_UUID and CHARTGATE_SOURCE_PASSWORD say how it is asked.',
        );
  } finally {
    await source.close();
  }
}

/** Nothing there can be asked for without sending a document: that somebody answers has to do. */
async function checkLab(url: string): Promise<Checked> {
  const where = `The laboratory document API at ${hostOf(url)}`;
  try {
    await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(LAB_WAIT_MS) });
    return fine('source-lab', `${where} answers; its credentials are not tried.`);
  } catch {
    return {
      part: 'source-lab',
      exit: EXIT.unavailable,
      text: `${where} cannot be reached. Check CHARTGATE_SOURCE_LAB_URL and the network.`,
    };
  }
}

/** Asks whoever the gateway will need, one after the other; nothing is written anywhere. */
export async function checkConnections(config: Config): Promise<Checked[]> {
  const { auth, source } = config;
  return [
    await checkDatabase(config),
    await checkEhr(config),
    ...(auth.kind === 'external' ? [await checkIssuer(auth)] : []),
    ...(source.url === null ? [] : [await checkSource(config, source.url)]),
    ...(source.labUrl === null ? [] : [await checkLab(source.labUrl)]),
  ];
}
