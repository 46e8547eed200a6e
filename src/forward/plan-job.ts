import { hash } from 'node:crypto';
import { digestOf } from '../content/index.ts';
import { fail, fault, ok, type Fault } from '../kernel/index.ts';
import type { Dialect } from '../mappings/index.ts';
import type { ParkReason } from '../inbox/index.ts';
import { parseLossless } from '../r4/index.ts';
import { translate, type LinkedPatient, type Translation } from '../translate/index.ts';
import { decideChanges, ledgerQuestionOf, namesIn, type Changes } from './decide-changes.ts';
import {
  checkOutput,
  readDocument,
  saidAtOf,
  troubleOfOutput,
  validatorsOf,
  type Pretranslated,
  type TranslationContext,
} from '../judge/index.ts';
import { buildItems, type Item } from './build-items.ts';
import type { Claimed, Finish, LedgerName, LedgerRow, Outcome } from '../lanes/index.ts';
import { SOON_MS, type JobDeps } from './job.ts';

export const digestOfItems = (items: readonly Item[]): string =>
  hash('sha256', items.map(({ name, digest }) => `${name} ${digest}`).join('\n'));

export interface Planned {
  readonly translation: Translation;
  readonly ledger: readonly LedgerRow[];
  readonly items: readonly Item[];
  readonly gone: readonly LedgerRow[];
  /** What stands already and is said by this document too. */
  readonly adopted: readonly LedgerName[];
  readonly saidAt: number;
  /** Whether a person has seen this very plan parked for this reason, and wants it. */
  readonly isApproved: (reason: Approvable) => boolean;
  readonly digest: (reason: Approvable) => string;
}

/**
 * Why a plan waits for a person who may want it all the same. Who approves it for one reason has not approved it for
 * another.
 */
export type Approvable = Extract<ParkReason, 'suspicious' | 'identity' | 'ambiguous'>;

/** Nothing is to be sent; what a person can approve is told. */
export interface NotSent extends Pick<Finish, 'outcome' | 'planDigest'> {
  readonly kind: 'not-sent';
  /** What a suspicious plan would take out of the chart: shown to whoever is asked to approve it. */
  readonly withdraws?: readonly LedgerRow[];
}

export type JobPlan =
  | { readonly kind: 'planned'; readonly planned: Planned }
  | NotSent
  /** What was written before could not be read. */
  | { readonly kind: 'ledger-away'; readonly fault: Fault };

/** The same as long as the document says the same and stands on the same: also after half of it was carried out. */
function digestOfPlan({ wanted, leftOut }: Translation, ledger: readonly LedgerRow[], reason: Approvable): string {
  const names = new Set(namesIn({ wanted, leftOut }));
  const said = wanted.map((one) => `${one.name} ${digestOf(one)}`);
  const gone = ledger.filter(({ name, isOfDocument }) => isOfDocument && !names.has(name)).map(({ name }) => name);
  return hash('sha256', JSON.stringify([reason, said.sort(), gone.sort()]));
}

const notSent = (outcome: Outcome): NotSent => ({ kind: 'not-sent', outcome });

type Translated = Pick<Pretranslated, 'translation' | 'saidAt'>;

/**
 * It was judged with other data, or before the EHR had said what it is: which profiles that asks for was not known then.
 */
function unmetIn(translation: Translation, translationContext: TranslationContext) {
  const validators = validatorsOf(translationContext);
  return validators.profileValidator === null ? null : troubleOfOutput(checkOutput(translation, validators));
}

/** What judging made of it, if that was for this patient and with these mapping data; else it is made anew. */
async function translated(
  claimed: Claimed,
  mrn: LinkedPatient,
  deps: JobDeps,
): Promise<{ readonly kind: 'translated'; readonly made: Translated } | NotSent> {
  const { translationContext, pretranslated } = deps;
  const { delivery, body } = claimed;
  if (
    pretranslated !== null &&
    pretranslated.patient.mrn === mrn.mrn &&
    pretranslated.patient.mrnSystem === mrn.mrnSystem
  )
    if (pretranslated.translationContext === translationContext) return { kind: 'translated', made: pretranslated };
  if (body === 'held') return notSent({ kind: 'put-back', afterMs: SOON_MS });
  if (body === 'gone' || body === 'unopenable')
    return notSent({
      kind: 'park',
      reason: 'rejected',
      faultCode: body === 'gone' ? 'delivery.no-body' : 'delivery.unopenable',
    });
  const parsed = parseLossless(body);
  const read = parsed.ok ? await readDocument(parsed.value, translationContext) : fail(fault('payload.shape'));
  if (!read.ok) return notSent({ kind: 'park', reason: 'unmapped', faultCode: read.fault.code });
  const { payload, custom } = read.value;
  deps.learn(payload, mrn);
  const receivedAt = new Date(delivery.receivedAt);
  const translation = translate({
    payload,
    custom,
    patient: mrn,
    delivery: { id: delivery.id, receivedAt },
    setting: translationContext.setting,
  });
  const trouble = translation.trouble ?? unmetIn(translation, translationContext);
  if (trouble !== null) return notSent({ kind: 'park', reason: trouble, faultCode: null });
  return { kind: 'translated', made: { translation, saidAt: saidAtOf(payload, receivedAt) } };
}

/** What carries out a job. */
export async function planJob(claimed: Claimed, mrn: LinkedPatient, deps: JobDeps): Promise<JobPlan> {
  const { translationContext, lanes, tenant } = deps;
  const document = await translated(claimed, mrn, deps);
  if (document.kind === 'not-sent') return document;
  const { made } = document;
  const ledger =
    deps.fastClaim === null
      ? await lanes.read('lane.ledger', {
          tenant,
          deliveryId: claimed.delivery.id,
          patient: mrn,
          ...ledgerQuestionOf(made.translation),
        })
      : ok(deps.fastClaim.ledger);
  if (!ledger.ok) return { kind: 'ledger-away', fault: ledger.fault };
  const { planned, isSuspicious, replaced } = planFrom(
    made,
    ledger.value,
    translationContext.setting.dialect,
    deps.knownSince,
    claimed.approvedPlans,
  );
  if (replaced !== null) return notSent({ kind: 'park', reason: replaced.why, faultCode: null });
  if (!isSuspicious || planned.isApproved('suspicious')) return { kind: 'planned', planned };
  return {
    kind: 'not-sent',
    outcome: { kind: 'park', reason: 'suspicious', faultCode: null },
    planDigest: planned.digest('suspicious'),
    withdraws: planned.gone,
  };
}

export function planFrom(
  { translation, saidAt }: Translated,
  ledger: readonly LedgerRow[],
  dialect: Dialect,
  knownSince: number,
  approvedPlans: readonly string[],
): { readonly planned: Planned } & Pick<Changes, 'isSuspicious' | 'replaced'> {
  const { changes, isSuspicious, replaced, adopted } = decideChanges(translation, ledger, dialect, saidAt);
  const gone = changes.flatMap((change) =>
    change.kind === 'retract' ? ledger.filter(({ name }) => name === change.written.name) : [],
  );
  const items = buildItems(changes, ledger, knownSince);
  const digest = (reason: Approvable): string => digestOfPlan(translation, ledger, reason);
  const isApproved = (reason: Approvable): boolean =>
    approvedPlans.length > 0 && approvedPlans.includes(digest(reason));
  return { planned: { translation, ledger, items, gone, adopted, saidAt, isApproved, digest }, isSuspicious, replaced };
}

/** The plan of a document of which nothing was written before. */
export const planFresh = (pretranslated: Pretranslated, knownSince: number): Planned =>
  planFrom(pretranslated, [], pretranslated.translationContext.setting.dialect, knownSince, []).planned;
