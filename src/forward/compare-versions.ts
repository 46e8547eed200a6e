import { contentOf } from '../content/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { EarlierVersion, InboxReads, InboxWrites } from '../inbox/index.ts';
import { readDocument, type TranslationContext } from '../judge/index.ts';
import type { ChartContent } from '../lanes/index.ts';
import { parseLossless } from '../r4/index.ts';
import type { Operate } from '../store/index.ts';
import { translate, type LinkedPatient, type Wanted } from '../translate/index.ts';

/** One resource that two versions of a document say differently. */
export interface VersionChange {
  readonly kind: 'added' | 'changed' | 'withdrawn';
  readonly resourceType: string;
  readonly group: string;
  readonly chartDay: string | null;
  /** What it is, in words; null where the resource says none. */
  readonly what: string | null;
  /** Part by part; null where that version says nothing of it. */
  readonly before: ChartContent | null;
  readonly after: ChartContent | null;
}

export interface VersionChanges {
  readonly changes: readonly VersionChange[];
  readonly unchanged: number;
}

/** Both versions are of the same patient, whoever that is: names and subjects are then the same. */
const ANYBODY: LinkedPatient = { mrnSystem: 'urn:chartgate:anybody', mrn: 'anybody' };

type Part = Readonly<Record<string, unknown>>;
const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});

/** The text of the code, or how its system calls it. */
function wordsOf(resource: Part): string | null {
  const { text, coding } = partOf(resource['code'] ?? resource['type']);
  if (typeof text === 'string') return text;
  const named = Array.isArray(coding) ? coding.map((one) => partOf(one)['display']) : [];
  return named.find((one) => typeof one === 'string') ?? null;
}

/** Whose it is and our name for it are the same in both. */
function saidOf(resource: Part): ChartContent {
  const { subject: _subject, identifiers: _identifiers, ...said } = contentOf(resource, (reference) => reference);
  return said;
}

const areSame = (a: ChartContent, b: ChartContent): boolean => {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => partOf(a)[name] === partOf(b)[name]);
};

const described = ({ resource, group, chartDay }: Wanted) => ({
  resourceType: resource.resourceType,
  group,
  chartDay,
  what: wordsOf(resource),
});

/** What is added, changed and withdrawn between two versions, resource by resource. */
export function compareWanted(before: readonly Wanted[], after: readonly Wanted[]): VersionChanges {
  const earlier = new Map(before.map((one) => [one.name, one]));
  const stays = new Set(after.map(({ name }) => name));
  const compared = after.map((one): VersionChange | null => {
    const said = saidOf(one.resource);
    const old = earlier.get(one.name);
    if (old === undefined) return { kind: 'added', ...described(one), before: null, after: said };
    const was = saidOf(old.resource);
    return areSame(was, said) ? null : { kind: 'changed', ...described(one), before: was, after: said };
  });
  const withdrawn = before
    .filter(({ name }) => !stays.has(name))
    .map((one): VersionChange => ({
      kind: 'withdrawn',
      ...described(one),
      before: saidOf(one.resource),
      after: null,
    }));
  const changes = compared.filter((one) => one !== null);
  return { changes: [...changes, ...withdrawn], unchanged: compared.length - changes.length };
}

/** `before` is null where there is no version before; nothing is compared then. */
export interface ComparedVersions extends VersionChanges {
  readonly before: EarlierVersion | null;
}

/** Compares a stored delivery with the version before of its document, by the mapping data in force. Reads only. */
export function makeCompareVersions(deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly current: () => { readonly translationContext: TranslationContext };
}): (id: string) => Promise<Result<ComparedVersions>> {
  const { tenant, inbox } = deps;

  async function wantedOf(id: string): Promise<Result<readonly Wanted[]>> {
    const stored = await inbox.read('inbox.body', { tenant, id });
    if (!stored.ok) return stored;
    if (stored.value === null) return fail(fault('delivery.no-body'));
    const { body, receivedAt } = stored.value;
    if (body === 'unopenable') return fail(fault('delivery.unopenable'));
    const parsed = parseLossless(body);
    if (!parsed.ok) return fail(fault('payload.shape', { at: parsed.fault.rule }));
    const { translationContext } = deps.current();
    const read = await readDocument(parsed.value, translationContext);
    if (!read.ok) return read;
    const { setting } = translationContext;
    const delivery = { id, receivedAt: new Date(receivedAt) };
    return ok(translate({ ...read.value, patient: ANYBODY, delivery, setting }).wanted);
  }

  return async (id) => {
    const found = await inbox.read('inbox.get', { tenant, id });
    if (!found.ok) return found;
    if (found.value === null) return fail(fault('delivery.not-found'));
    const before = await inbox.read('inbox.earlier', { tenant, id });
    if (!before.ok) return before;
    if (before.value === null) return ok({ before: null, changes: [], unchanged: 0 });
    const earlier = await wantedOf(before.value.id);
    if (!earlier.ok) return earlier;
    const later = await wantedOf(id);
    return later.ok ? ok({ before: before.value, ...compareWanted(earlier.value, later.value) }) : later;
  };
}
