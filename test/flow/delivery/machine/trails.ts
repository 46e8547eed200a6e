import type { Write } from '../../../../sandbox/index.ts';
import { factOf, isWithdrawn, NAMES } from '../../../support/check-delivery.ts';
import type { Decided } from './history.ts';
import { METRICS, type Content, type Metric } from './program.ts';

type Part = Readonly<Record<string, unknown>>;

const PERSON = 'a-person';

/** One stored version of one of our measurements, by what it says: `null` where it is withdrawn or gone. */
export interface Stand {
  readonly n: number;
  readonly isPerson: boolean;
  readonly value: number | null;
  readonly isWithdrawn: boolean;
}

/** What became of one resource that holds a measurement of ours, as the EHR logged it. */
export interface Trail {
  readonly address: string;
  readonly name: string;
  readonly metric: Metric;
  readonly patient: string;
  readonly stands: readonly Stand[];
}

const nameOf = (resource: Part): string | null => {
  const all = (resource['identifier'] ?? []) as readonly { readonly system?: string; readonly value?: string }[];
  return all.find(({ system }) => system === NAMES)?.value ?? null;
};

const metricOf = (resource: Part): Metric | null => {
  const code = factOf(resource)?.about.split(' ')[0];
  return METRICS.find((metric) => metric === code) ?? null;
};

export function trailsOf(writes: readonly Write[]): Trail[] {
  const byAddress = Map.groupBy(
    writes.filter(({ type }) => type === 'Observation'),
    ({ type, id }) => `${type}/${id}`,
  );
  return [...byAddress].flatMap(([address, own]): Trail[] => {
    const stored = own.map((write) => ({
      write,
      resource: write.json === null ? null : (JSON.parse(write.json) as Part),
    }));
    const last = stored.findLast(({ resource }) => resource !== null)?.resource ?? {};
    const [name, metric] = [nameOf(last), metricOf(last)];
    if (name === null || metric === null) return [];
    const { reference } = (last['subject'] ?? {}) as { reference?: string };
    const stands = stored.map(({ write, resource }): Stand => {
      const isGone = resource === null || isWithdrawn(resource);
      return {
        n: write.n,
        isPerson: write.requestId === PERSON,
        value: isGone ? null : Number(factOf(resource)?.value),
        isWithdrawn: isGone,
      };
    });
    return [{ address, name, metric, patient: reference ?? '', stands }];
  });
}

export const isLive = ({ stands }: Trail): boolean => stands.at(-1)?.isWithdrawn === false;
export const valueNow = ({ stands }: Trail): number | null => stands.at(-1)?.value ?? null;

const saysOf = (content: Content, metric: Metric): number | null => {
  const digits = content[metric];
  return digits === undefined ? null : Number(digits);
};

/**
 * How what a document says of a resource fits to what a person made of it. `agrees`: nobody need be asked.
 * `contradicts`: somebody must be. `either`: it says something else than before, and what the person says; or it says
 * what it said before, and nobody has decided.
 */
export type Fit = 'agrees' | 'either' | 'contradicts';

/** What a person made of a resource and nobody has allowed to write over since. */
export interface Guarded {
  readonly trail: Trail;
  readonly fit: (content: Content) => Fit;
  /** A person has seen what the document says, and wants theirs to stay. */
  readonly isKept: boolean;
}

const lastEdit = ({ stands }: Trail): number => stands.findLastIndex(({ isPerson }) => isPerson);

/** `newest`: the deliveries of the newest version, to which a decision on them holds until it is carried out. */
export function guardedOf(trail: Trail, decided: readonly Decided[], newest: readonly string[]): Guarded | null {
  const at = lastEdit(trail);
  const edit = trail.stands[at];
  if (edit === undefined) return null;
  const since = decided.filter(({ names, n }) => names.includes(trail.name) && n >= edit.n);
  const isWrittenSince = (n: number): boolean => trail.stands.some((stand) => !stand.isPerson && stand.n > n);
  const isGivenUp = since.some(
    ({ decision, isCarriedOut, deliveryId, n }) =>
      decision === 'overwrite' && (isCarriedOut || isWrittenSince(n) || newest.includes(deliveryId)),
  );
  if (isGivenUp) return null;
  const last = since.findLast(({ decision }) => decision === 'keep-theirs');
  // What was taken out of the chart since is kept no longer.
  const isTakenOutSince = (n: number): boolean =>
    trail.stands.some((stand) => !stand.isPerson && stand.isWithdrawn && stand.n > n);
  const isKept =
    last !== undefined && (last.isCarriedOut || newest.includes(last.deliveryId)) && !isTakenOutSince(last.n);
  const seen = last === undefined ? undefined : saysOf(last.content, trail.metric);
  const ours = trail.stands.slice(0, at).findLast(({ isPerson }) => !isPerson)?.value ?? null;
  const fit = (content: Content): Fit => {
    const says = saysOf(content, trail.metric);
    if (isKept && says === seen) return 'agrees';
    return says === valueNow(trail) || says === seen || (!isKept && says === ours) ? 'either' : 'contradicts';
  };
  return { trail, isKept, fit };
}

/** Whether what a chart holds of a measurement is what a document says of it. */
export const holds = (trail: Trail, content: Content): boolean => valueNow(trail) === saysOf(content, trail.metric);
