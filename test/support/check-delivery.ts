import type { Seen, Write } from '../../sandbox/index.ts';

/**
 * One thing that a document says of a patient: what it is about, and what is said. Nothing of the gateway is asked for
 * it.
 */
export interface Fact {
  readonly about: string;
  readonly value: string;
  /** Day and group: a newer version takes back only within what it still speaks of. */
  readonly scope: string;
}

/** One payload that was acknowledged. */
export interface Said {
  readonly id: string;
  readonly user: string;
  readonly document: string;
  readonly version: number;
  readonly saidAt: number;
  readonly facts: readonly Fact[];
}

export interface DeliveryRun {
  /** In the order in which they were acknowledged. */
  readonly said: readonly Said[];
  /** References of the patients that a user was ever linked to; the last is the one that counts. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /** By delivery id: where each came to rest. */
  readonly standing: ReadonlyMap<string, { readonly state: string; readonly reason: string | null }>;
  /** Everything that the EHR carried out, in its order. */
  readonly writes: readonly Write[];
  readonly requests: readonly Seen[];
  /** How a resource says that it was taken back; by default by its status or by our mark. */
  readonly isWithdrawn?: (resource: Part) => boolean;
}

export interface DeliveryViolation {
  readonly kind:
    | 'lost'
    | 'unsettled'
    | 'leftover'
    | 'duplicate'
    | 'stale'
    | 'overlap'
    | 'wrong-chart'
    | 'overwrote-person'
    | 'false-conflict'
    | 'dangling';
  readonly about: string;
}

type Part = Readonly<Record<string, unknown>>;
interface Coding {
  readonly system?: string;
  readonly code?: string;
}

export const NAMES = 'urn:chartgate:measurement';
const SOURCE_CODES = 'urn:example:health-data-service:codes';
/** As whom the demo EHR logs what it was given past its door. */
const PERSON = 'a-person';
const RESTING: ReadonlySet<string> = new Set([
  'delivered',
  'superseded',
  'duplicate',
  'parked',
  'quarantined',
  'discarded',
]);
/** A person knows of it. */
const EXCUSED: ReadonlySet<string> = new Set(['parked', 'quarantined', 'discarded']);

const list = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as Part[]) : []);
const part = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
const codings = (concept: unknown): readonly Coding[] => list(part(concept)['coding']);

/** Metrics that go from the source to the chart with code and unit as they are, by the summary that brings them. */
const PLAIN: Readonly<Record<string, string>> = {
  weight: 'body',
  height: 'body',
  bmi: 'body',
  resting_heart_rate: 'body',
  steps: 'physical',
  distance: 'physical',
  vo2max: 'physical',
};

/** What an Observation of the source or of a chart says, where it is of a kind that the checker knows. */
export function factOf(resource: Part): Fact | null {
  if (resource['resourceType'] !== 'Observation') return null;
  const code = codings(resource['code']).find(({ system }) => system === SOURCE_CODES)?.code ?? '';
  const group = PLAIN[code];
  if (group === undefined) return null;
  const { effectivePeriod, effectiveDateTime } = resource;
  const start = text(effectiveDateTime ?? part(effectivePeriod)['start']);
  return {
    about: `${code} ${start}`,
    value: text(part(resource['valueQuantity'])['value']),
    scope: `${group} ${start.slice(0, 10)}`,
  };
}

/** What a clinical_ready says; other structures are checked by their states and identifiers. */
export function factsOf(payload: Part): readonly Fact[] {
  const bundle = part(part(payload['clinical_ready'])['clinical_ready_data']);
  return list(bundle['entry']).flatMap(({ resource }) => factOf(part(resource)) ?? []);
}

interface Standing {
  readonly write: Write;
  readonly resource: Part;
}

const nameOf = (resource: Part): string | null => {
  const own = list(resource['identifier']).find(({ system }) => system === NAMES)?.['value'];
  return typeof own === 'string' ? own : null;
};
const isOurs = (resource: Part): boolean =>
  nameOf(resource) !== null ||
  (resource['resourceType'] === 'Provenance' && JSON.stringify(resource).includes('urn:chartgate:delivery'));
const patientOf = (resource: Part): string => text(part(resource['subject'])['reference']);
const parse = ({ json }: Write): Part | null => (json === null ? null : (JSON.parse(json) as Part));

const holdsValue = (holder: Part): boolean => Object.keys(holder).some((name) => /^value[A-Z]/.test(name));

/**
 * By what a reader of the chart sees, never by a tag: an EHR may drop tags, or keep those that an update leaves out.
 * `entered-in-error`; where an EHR takes no such status, a correction that holds no value any more and says why.
 */
export const isWithdrawn = (resource: Part): boolean =>
  resource['status'] === 'entered-in-error' ||
  (resource['status'] === 'corrected' &&
    ![resource, ...list(resource['component'])].some(holdsValue) &&
    resource['dataAbsentReason'] !== undefined &&
    list(resource['note']).length > 0);

/** What stands in the charts at the end: the last write of each resource, where that is no withdrawal. */
function liveOf(writes: readonly Write[], isGone: (resource: Part) => boolean): Standing[] {
  const last = new Map(writes.map((write) => [`${write.type}/${write.id}`, write]));
  return [...last.values()].flatMap((write) => {
    const resource = parse(write);
    return resource === null || isGone(resource) ? [] : [{ write, resource }];
  });
}

/**
 * Whether `a` is to be believed before `b`: within a document by version, across documents by when they were made, then
 * by arrival.
 */
function isNewer(a: Said, b: Said, order: ReadonlyMap<Said, number>): boolean {
  if (a.document === b.document && a.version !== b.version) return a.version > b.version;
  if (a.document !== b.document && a.saidAt !== b.saidAt) return a.saidAt > b.saidAt;
  return (order.get(a) ?? 0) > (order.get(b) ?? 0);
}

function checkStates({ said, standing }: DeliveryRun): DeliveryViolation[] {
  return said.flatMap(({ id }): DeliveryViolation[] => {
    const state = standing.get(id)?.state;
    if (state === undefined) return [{ kind: 'lost', about: `${id}: unknown to the gateway` }];
    return RESTING.has(state) ? [] : [{ kind: 'unsettled', about: `${id}: ${state}` }];
  });
}

function checkContent(
  run: DeliveryRun,
  live: readonly Standing[],
  order: ReadonlyMap<Said, number>,
): DeliveryViolation[] {
  const out: DeliveryViolation[] = [];
  const stateOf = ({ id }: Said): string => run.standing.get(id)?.state ?? '';
  const chart = new Map<string, string>();
  for (const { resource } of live) {
    const fact = factOf(resource);
    if (fact !== null && nameOf(resource) !== null) chart.set(`${patientOf(resource)} ${fact.about}`, fact.value);
  }
  const byUser = Map.groupBy(run.said, ({ user }) => user);
  for (const [user, all] of byUser) {
    const patient = run.links.get(user)?.at(-1);
    const believed = all.filter((one) => stateOf(one) !== 'quarantined' && stateOf(one) !== 'discarded');
    const documents = [...Map.groupBy(believed, ({ document }) => document).values()];
    // Where a newest version waits for a person, nobody can say what the chart should hold.
    const newest: Said[] = [];
    const waiting: Said[] = [];
    for (const versions of documents) {
      const top = versions.reduce((a, b) => (isNewer(b, a, order) ? b : a));
      const same = versions.filter(({ version }) => version === top.version);
      if (same.some((one) => EXCUSED.has(stateOf(one)))) {
        waiting.push(...versions);
        continue;
      }
      if (!same.some((one) => stateOf(one) === 'delivered'))
        out.push({ kind: 'lost', about: `${top.id}: newest of its document is ${same.map(stateOf).join()}` });
      newest.push(top);
    }
    const doubtful = new Set(waiting.flatMap(({ facts }) => facts.map(({ about }) => about)));
    const wanted = new Map<string, { readonly by: Said; readonly value: string }>();
    for (const one of newest)
      for (const { about, value } of one.facts) {
        const before = wanted.get(about);
        if (before === undefined || isNewer(one, before.by, order)) wanted.set(about, { by: one, value });
      }
    for (const [about, { by, value }] of wanted) {
      if (doubtful.has(about)) continue;
      const held = patient === undefined ? undefined : chart.get(`${patient} ${about}`);
      if (held === undefined) out.push({ kind: 'lost', about: `${by.id}: ${about} is not in the chart` });
      else if (held !== value)
        out.push({ kind: 'stale', about: `${by.id}: ${about} is ${held} in the chart, and should be ${value}` });
    }
    for (const top of newest) {
      const scopes = new Set(top.facts.map(({ scope }) => scope));
      const older = believed.filter(({ document, version }) => document === top.document && version < top.version);
      for (const { about, scope } of new Map(
        older.flatMap(({ facts }) => facts.map((fact) => [fact.about, fact])),
      ).values()) {
        if (wanted.has(about) || doubtful.has(about) || !scopes.has(scope) || patient === undefined) continue;
        if (chart.has(`${patient} ${about}`))
          out.push({ kind: 'leftover', about: `${top.id}: ${about} is still in the chart` });
      }
    }
  }
  return out;
}

function checkDuplicates(live: readonly Standing[]): DeliveryViolation[] {
  const seen = new Map<string, string>();
  return live.flatMap(({ write, resource }): DeliveryViolation[] => {
    if (!isOurs(resource)) return [];
    const name = nameOf(resource);
    const fact = factOf(resource);
    const keys = [
      ...(name === null ? [] : [`identifier ${name}`]),
      ...(fact === null ? [] : [`meaning ${patientOf(resource)} ${fact.about}`]),
      ...(resource['resourceType'] === 'Provenance'
        ? [`Provenance ${JSON.stringify([resource['target'], resource['entity']])}`]
        : []),
    ];
    const at = `${write.type}/${write.id}`;
    return keys.flatMap((key): DeliveryViolation[] => {
      const other = seen.get(key);
      if (other === undefined) seen.set(key, at);
      return other === undefined || other === at ? [] : [{ kind: 'duplicate', about: `${other} and ${at}: ${key}` }];
    });
  });
}

/**
 * Each write says what some acknowledged document said of that patient's user; none is older than the one before it.
 */
function checkWrites(run: DeliveryRun, order: ReadonlyMap<Said, number>): DeliveryViolation[] {
  const out: DeliveryViolation[] = [];
  const isGone = run.isWithdrawn ?? isWithdrawn;
  const last = new Map<string, { readonly by: readonly Said[]; readonly isPerson: boolean }>();
  const said = Map.groupBy(
    run.said.flatMap((one) => one.facts.map((fact) => ({ one, key: `${fact.about} ${fact.value}` }))),
    ({ key }) => key,
  );
  for (const write of run.writes) {
    const at = `${write.type}/${write.id}`;
    const resource = parse(write);
    const before = last.get(at);
    if (write.requestId === PERSON) {
      last.set(at, { by: before?.by ?? [], isPerson: true });
      continue;
    }
    if (before?.isPerson === true) out.push({ kind: 'overwrote-person', about: `${at} by write ${write.n}` });
    const fact = resource === null ? null : factOf(resource);
    if (resource === null || fact === null || nameOf(resource) === null || isGone(resource)) continue;
    const patient = patientOf(resource);
    const by = (said.get(`${fact.about} ${fact.value}`) ?? [])
      .map(({ one }) => one)
      .filter(({ user }) => run.links.get(user)?.includes(patient) === true);
    if (by.length === 0) out.push({ kind: 'wrong-chart', about: `write ${write.n}: nobody said so of ${patient}` });
    const isStale =
      before !== undefined &&
      by.length > 0 &&
      before.by.length > 0 &&
      by.every((one) => before.by.every((older) => isNewer(older, one, order)));
    if (isStale) out.push({ kind: 'stale', about: `write ${write.n} of ${at}: ${fact.about} back to ${fact.value}` });
    last.set(at, { by, isPerson: false });
  }
  return out;
}

function checkCharts({ links }: DeliveryRun, live: readonly Standing[]): DeliveryViolation[] {
  const current = new Set([...links.values()].flatMap((patients) => patients.at(-1) ?? []));
  return live.flatMap(({ write, resource }): DeliveryViolation[] => {
    if (nameOf(resource) === null || resource['subject'] === undefined) return [];
    const patient = patientOf(resource);
    return current.has(patient)
      ? []
      : [{ kind: 'wrong-chart', about: `${write.type}/${write.id} stands at ${patient}` }];
  });
}

/** A conflict is somebody else's change. Where nobody else has changed anything, it was our own. */
function checkConflicts({ said, standing, links, writes }: DeliveryRun): DeliveryViolation[] {
  const changed = new Set(
    writes.flatMap((write) => {
      const resource = write.requestId === PERSON ? parse(write) : null;
      return resource !== null && nameOf(resource) !== null ? [patientOf(resource)] : [];
    }),
  );
  return said.flatMap(({ id, user }): DeliveryViolation[] => {
    const { state, reason } = standing.get(id) ?? {};
    if (state !== 'parked' || reason !== 'conflict') return [];
    return links.get(user)?.some((patient) => changed.has(patient)) === true
      ? []
      : [{ kind: 'false-conflict', about: `${id}: nobody else changed a chart of its user` }];
  });
}

/** Two requests that wrote to one patient's chart and were under way at the same time. */
function checkOverlaps({ writes, requests }: DeliveryRun): DeliveryViolation[] {
  const patients = new Map<string, Set<string>>();
  for (const write of writes) {
    const resource = parse(write);
    if (write.requestId === PERSON || resource?.['subject'] === undefined) continue;
    const of = patients.get(write.requestId) ?? new Set();
    patients.set(write.requestId, of.add(patientOf(resource)));
  }
  const open = new Map<string, Seen>();
  const out: DeliveryViolation[] = [];
  const isWrite = ({ method, path }: Seen): boolean =>
    (method === 'POST' || method === 'PUT') && !path.split('?')[0]?.endsWith('/_search');
  for (const request of requests.filter(isWrite))
    for (const patient of patients.get(request.requestId) ?? []) {
      const before = open.get(patient);
      if (before !== undefined && (before.ended ?? Infinity) > request.began)
        out.push({ kind: 'overlap', about: `${patient}: ${before.requestId} and ${request.requestId}` });
      if ((before?.ended ?? 0) < (request.ended ?? Infinity)) open.set(patient, request);
    }
  return out;
}

function checkReferences(writes: readonly Write[], live: readonly Standing[]): DeliveryViolation[] {
  const known = new Set(writes.map(({ type, id }) => `${type}/${id}`));
  return live.flatMap(({ write, resource }): DeliveryViolation[] => {
    if (!isOurs(resource)) return [];
    const references = [...JSON.stringify(resource).matchAll(/"reference":"([^"]+)"/g)].map(
      ([, reference = '']) => reference,
    );
    return references
      .filter((reference) => !known.has(reference.split('/_history')[0] ?? ''))
      .map((reference) => ({ kind: 'dangling', about: `${write.type}/${write.id} refers to ${reference}` }));
  });
}

/** Everything that is wrong with a run that has come to rest. */
export function checkDelivery(run: DeliveryRun): DeliveryViolation[] {
  const live = liveOf(run.writes, run.isWithdrawn ?? isWithdrawn);
  const order = new Map(run.said.map((one, i) => [one, i]));
  return [
    ...checkStates(run),
    ...checkContent(run, live, order),
    ...checkDuplicates(live),
    ...checkWrites(run, order),
    ...checkCharts(run, live),
    ...checkConflicts(run),
    ...checkOverlaps(run),
    ...checkReferences(run.writes, live),
  ];
}
