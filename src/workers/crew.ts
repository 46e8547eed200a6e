/** A worker that runs, by its number. */
interface Member {
  readonly state: 'starting' | 'serving';
  /** By the monotonic clock. */
  readonly sinceMs: number;
}

/** The workers as the primary sees them. */
export interface Crew {
  readonly wanted: number;
  readonly members: ReadonlyMap<number, Member>;
  /** Starts that are waited for. */
  readonly due: number;
  /** Ends one after the other, none of a worker that had served for long. */
  readonly failures: number;
  /** The exit code that the whole comes to; null while nobody wants it to end. */
  readonly end: number | null;
}

export type CrewEvent =
  | { readonly kind: 'started'; readonly worker: number; readonly atMs: number }
  | { readonly kind: 'serving'; readonly worker: number; readonly atMs: number }
  | { readonly kind: 'ended'; readonly worker: number; readonly code: number; readonly atMs: number }
  | { readonly kind: 'stop' };

export type CrewAct =
  | { readonly kind: 'start'; readonly afterMs: number }
  /** All that run are told to come to their end. */
  | { readonly kind: 'stop' }
  /** None runs any more. */
  | { readonly kind: 'end'; readonly code: number };

interface Step {
  readonly crew: Crew;
  readonly acts: readonly CrewAct[];
}

/** Who served for so long did not end because of how it started. */
const STEADY_MS = 60_000;
const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 30_000;

const waitAfter = (failures: number): number => Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (failures - 1));

const isAnyServing = ({ members }: Crew): boolean => [...members.values()].some(({ state }) => state === 'serving');

const startsAfter = (count: number, afterMs: number): CrewAct[] =>
  Array.from({ length: count }, () => ({ kind: 'start', afterMs }));

/** The first one alone: what is wrong is told once, and the schema is there before the others come. */
export const firstStep = (wanted: number): Step => ({
  crew: { wanted, members: new Map(), due: 1, failures: 0, end: null },
  acts: startsAfter(1, 0),
});

/** From now on nothing is started, and the end has come when none runs. */
function endWith(crew: Crew, code: number): Step {
  const ending = { ...crew, due: 0, end: crew.end ?? code };
  return { crew: ending, acts: crew.members.size === 0 ? [{ kind: 'end', code: ending.end }] : [{ kind: 'stop' }] };
}

function serving(crew: Crew, worker: number, atMs: number): Step {
  const members = new Map(crew.members).set(worker, { state: 'serving', sinceMs: atMs } as const);
  const missing = crew.end === null ? Math.max(0, crew.wanted - members.size - crew.due) : 0;
  return { crew: { ...crew, members, due: crew.due + missing }, acts: startsAfter(missing, 0) };
}

function ended(crew: Crew, worker: number, code: number, atMs: number): Step {
  const member = crew.members.get(worker);
  const members = new Map(crew.members);
  members.delete(worker);
  const left = { ...crew, members };
  if (crew.end !== null) {
    // Told to stop, and came to no good end: that is the end of the whole.
    const end = crew.end === 0 ? code : crew.end;
    return { crew: { ...left, end }, acts: members.size === 0 ? [{ kind: 'end', code: end }] : [] };
  }
  // Nobody serves, and it cannot be started: for whoever supervises us, as with a single process.
  if (member?.state !== 'serving' && !isAnyServing(left)) return endWith(left, code);
  const wasSteady = member?.state === 'serving' && atMs - member.sinceMs >= STEADY_MS;
  const failures = (wasSteady ? 0 : crew.failures) + 1;
  return { crew: { ...left, failures, due: crew.due + 1 }, acts: startsAfter(1, waitAfter(failures)) };
}

/** What becomes of the workers: those that end are started again, later each time, as long as one of them serves. */
export function nextStep(crew: Crew, event: CrewEvent): Step {
  switch (event.kind) {
    case 'started': {
      const members = new Map(crew.members).set(event.worker, { state: 'starting', sinceMs: event.atMs } as const);
      return { crew: { ...crew, members, due: Math.max(0, crew.due - 1) }, acts: [] };
    }
    case 'serving':
      return serving(crew, event.worker, event.atMs);
    case 'ended':
      return ended(crew, event.worker, event.code, event.atMs);
    case 'stop':
      return endWith(crew, 0);
  }
}
