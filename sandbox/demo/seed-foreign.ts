import { setTimeout as pause } from 'node:timers/promises';
import {
  fail,
  fault,
  makeNewId,
  makePooledChance,
  ok,
  StartError,
  systemClock,
  type Fault,
  type Result,
} from '../../src/kernel/index.ts';
import {
  identifierToken,
  makeResolvePatient,
  openEhr,
  probeEhr,
  type Ehr,
  type EhrTarget,
  type Probed,
  type ResolvePatient,
} from '../../src/embed.ts';
import { buildGuests, DEMO_MRN_SYSTEM } from '../index.ts';

type Guest = ReturnType<typeof buildGuests>[number];

const AT_ONCE = 4;
/** A search index may be behind what was written. */
const FOUND = { times: 40, everyMs: 250 } as const;

/** How a patient is added so that doing it twice is doing it once. */
type Way = 'put-by-id' | 'conditional-create' | 'create-after-search';

/** In the order in which they are tried: some servers take ids of ours and do not say so. */
function chooseWays({ capability, filters }: Probed): Way[] {
  const said = capability.types['Patient'];
  if (said === undefined) return [];
  // A condition that is ignored would match a stranger.
  const isTrusted = said.create && filters['Patient']?.filter === 'filters';
  return [
    ...(said.update ? (['put-by-id'] as const) : []),
    ...(isTrusted ? [said.conditionalCreate ? ('conditional-create' as const) : ('create-after-search' as const)] : []),
  ];
}

const refused = (url: string, what: string, because: Fault | null): StartError =>
  new StartError(
    'demo.foreign-ehr',
    `${what} at ${url}${because === null ? '' : ` (${because.code})`}. docs/faults.md tells what that means; docs/connect-an-ehr.md has the settings for credentials and TLS.`,
  );

interface GuestDeps {
  readonly ehr: Ehr;
  readonly resolve: ResolvePatient;
  readonly newRequestId: () => string;
}

/** `not-so`: this way is none at this server, and nothing was done. */
async function sendGuest(
  { mrn, resource }: Guest,
  way: Way,
  { ehr, newRequestId }: GuestDeps,
): Promise<Result<'sent' | 'not-so'>> {
  const { id, ...rest } = resource;
  // Under an id that somebody else has taken, their patient would be overwritten.
  if (way === 'put-by-id' && (await ehr.ask({ method: 'GET', path: `Patient/${id}`, requestId: newRequestId() })).ok)
    return ok('not-so');
  const token = identifierToken(DEMO_MRN_SYSTEM, mrn);
  const { verdict } = await ehr.send({
    ...(way === 'put-by-id'
      ? { method: 'PUT', path: `Patient/${id}`, body: JSON.stringify(resource) }
      : { method: 'POST', path: 'Patient', body: JSON.stringify(rest) }),
    ...(way === 'conditional-create' ? { ifNoneExist: `identifier=${encodeURIComponent(token)}` } : {}),
    prefer: 'return=minimal',
    requestId: newRequestId(),
  });
  if (verdict.kind === 'ok') return ok('sent');
  const isRefused = verdict.kind === 'rejected' || verdict.kind === 'absent' || verdict.kind === 'conflict';
  return way === 'put-by-id' && isRefused ? ok('not-so') : fail(verdict.fault);
}

/** The same MRN is there already, or it is added and found again. */
async function addGuest(guest: Guest, ways: readonly Way[], deps: GuestDeps): Promise<Result<'added' | 'already'>> {
  const find = () => deps.resolve({ mrnSystem: DEMO_MRN_SYSTEM, mrn: guest.mrn, requestId: deps.newRequestId() });
  const found = await find();
  if (found.ok) return ok('already');
  if (found.fault.code !== 'patient.none') return found;
  let sent: Result<'sent' | 'not-so'> = ok('not-so');
  for (const way of ways) if (sent.ok && sent.value === 'not-so') sent = await sendGuest(guest, way, deps);
  if (!sent.ok) return sent;
  if (sent.value === 'not-so') return fail(fault('patient.not-created'));
  let again = await find();
  for (let times = 0; !again.ok && again.fault.code === 'patient.none' && times < FOUND.times; times += 1) {
    await pause(FOUND.everyMs);
    again = await find();
  }
  return again.ok ? ok('added') : again;
}

/**
 * Adds the demonstration's people to an EHR that is not its own, with the settings by which the gateway reaches it. Who
 * is there already stays as they are. Throws a StartError with a sentence where that cannot be done.
 */
export async function seedForeign(deps: {
  readonly target: EhrTarget;
  readonly users: number;
  readonly signal: AbortSignal;
  readonly onProgress: (part: number, words: string) => void;
}): Promise<{ readonly added: number; readonly already: number }> {
  const { target, users, signal, onProgress } = deps;
  const chance = makePooledChance();
  const newId = makeNewId({ now: () => systemClock.now().getTime(), chance });
  const newRequestId = (): string => newId('req');
  const ehr = openEhr({ target, clock: systemClock, chance, newId });
  try {
    const probed = await probeEhr({ ehr, chance, newRequestId, types: ['Patient'] });
    if (!probed.ok) throw refused(target.url, 'No FHIR R4 server could be asked what it can do', probed.fault);
    const ways = chooseWays(probed.value);
    if (ways.length === 0) throw refused(target.url, 'There is no safe way to add a patient', null);
    const by = probed.value.filters['Patient']?.by ?? 'post';
    const resolve = makeResolvePatient({ ehr, mode: 'lookup', searchBy: () => by, mayCreate: () => 'no' });
    const waiting = [...buildGuests(users)];
    const counts = { added: 0, already: 0 };
    const work = async (): Promise<void> => {
      for (let guest = waiting.shift(); guest !== undefined && !signal.aborted; guest = waiting.shift()) {
        const done = await addGuest(guest, ways, { ehr, resolve, newRequestId });
        if (!done.ok) {
          waiting.length = 0;
          throw refused(target.url, `The invented patient with the MRN ${guest.mrn} could not be added`, done.fault);
        }
        counts[done.value] += 1;
        onProgress(
          (counts.added + counts.already) / users,
          `${counts.added + counts.already} of ${users} patients registered`,
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return counts;
  } finally {
    await ehr.close();
  }
}
