import { runLanes, type lookUp, type nextWrite, type planJob } from './forward/index.ts';
import type { InboxWrites, State } from './inbox/index.ts';
import { makeIngest, type Ingest } from './ingest/index.ts';
import { makeJudge, processReceived, type Judge } from './judge/index.ts';
import type { DeliverWrites, LaneWrites } from './lanes/index.ts';

/*
 * The way of one delivery, from the webhook to the chart. Open this file first.
 *
 * Each stage says what carries it out, what it takes and gives, and for each answer that it may give what follows: the
 * next stage, or the state in which the delivery rests. The outputs are the types of the functions and commands that
 * do the work, so that an answer that the list does not name does not compile.
 * `test/flow/delivery/pipeline.test.ts` walks a delivery along it.
 */

/** The parts that carry deliveries along. The gateway starts these. */
export const PARTS = {
  /** HTTP in: who sends, the bytes, the acknowledgement. */
  receive: makeIngest,
  /** Bytes to a verdict. */
  judge: makeJudge,
  /** Has everything judged in the order of its arrival, and settles it into the lane of its patient. */
  settle: processReceived,
  /** Claims lanes, and carries out what is at their heads. */
  send: runLanes,
} as const;

export type StageName =
  'receive' | 'store' | 'judge' | 'settle' | 'claim' | 'plan' | 'begin' | 'write' | 'read-back' | 'finish';

/** `not-stored`: the sender was refused, and nothing was kept. */
export type Next = StageName | State | 'not-stored';

export interface Stage {
  readonly name: StageName;
  readonly part: keyof typeof PARTS;
  /** The command of the store, or the function, that carries it out. */
  readonly by: string;
  readonly takes: string;
  readonly gives: string;
  /** Which answer an output is. */
  readonly answer: (output: never) => string;
  readonly then: Readonly<Record<string, Next>>;
}

/** The types hold that every answer is followed by something. */
const stage = <Answer extends string>(
  one: Omit<Stage, 'answer' | 'then'> & {
    readonly answer: (output: never) => Answer;
    readonly then: Readonly<Record<NoInfer<Answer>, Next>>;
  },
): Stage => one;

type Output<Function extends (...given: never[]) => unknown> = Awaited<ReturnType<Function>>;
/** What a command was asked and has answered. */
type Done<Command extends { args: unknown; out: unknown }> = Readonly<Pick<Command, 'args' | 'out'>>;

/** What is settled as one of these waits in no lane. */
const RESTS = {
  received: 'received',
  sending: 'sending',
  unknown: 'unknown',
  delivered: 'delivered',
  superseded: 'superseded',
  duplicate: 'duplicate',
  parked: 'parked',
  quarantined: 'quarantined',
  discarded: 'discarded',
} as const satisfies { [S in Exclude<State, 'queued'>]: S };

export const PIPELINE: readonly Stage[] = [
  stage({
    name: 'receive',
    part: 'receive',
    by: 'routes of ingest',
    takes: 'a request of the source',
    gives: '202, once its bytes are stored',
    answer: ({ ok }: Output<Ingest['routes'][number]['handle']>) => (ok ? 'acknowledged' : 'refused'),
    then: { acknowledged: 'store', refused: 'not-stored' },
  }),
  stage({
    name: 'store',
    part: 'receive',
    by: 'inbox.put',
    takes: 'bytes, unread',
    gives: 'a delivery',
    answer: ({ out }: Done<InboxWrites['inbox.put']>) => out.state,
    then: { accepted: 'judge', received: 'judge', duplicate: 'duplicate' },
  }),
  stage({
    name: 'judge',
    part: 'judge',
    by: 'judge',
    takes: 'the bytes of a delivery',
    gives: 'facts and a verdict: parsed, valid, translated',
    answer: ({ verdict }: Output<Judge>) => verdict.kind,
    then: { sound: 'settle', quarantine: 'settle', handled: 'settle' },
  }),
  stage({
    name: 'settle',
    part: 'settle',
    by: 'deliver.settle',
    takes: 'a verdict',
    gives: 'the state of the delivery: newest of its document, linked, into the lane of its patient',
    answer: ({ out }: Done<DeliverWrites['deliver.settle']>) =>
      out === null ? 'settled-by-another' : out.fastClaim === undefined ? out.state : 'claimed-as-settled',
    then: { ...RESTS, queued: 'claim', 'claimed-as-settled': 'plan', 'settled-by-another': 'received' },
  }),
  stage({
    name: 'claim',
    part: 'send',
    by: 'lane.claim',
    takes: 'lanes that are due',
    gives: 'their heads, leased',
    answer: ({ out }: Done<LaneWrites['lane.claim']>) => (out.claimed.length > 0 ? 'claimed' : 'none-due'),
    then: { claimed: 'plan', 'none-due': 'queued' },
  }),
  stage({
    name: 'plan',
    part: 'send',
    by: 'planJob',
    takes: 'the head of a lane, and the ledger of what was written before',
    gives: 'what is to be written and taken back',
    answer: (plan: Output<typeof planJob>) =>
      plan.kind === 'planned' && plan.planned.items.length + plan.planned.gone.length === 0
        ? 'nothing-to-change'
        : plan.kind,
    then: { planned: 'begin', 'nothing-to-change': 'finish', 'not-sent': 'finish', 'ledger-away': 'finish' },
  }),
  stage({
    name: 'begin',
    part: 'send',
    by: 'lane.begin',
    takes: 'a plan, the patient and the chart',
    gives: 'an attempt, committed before its first byte goes out',
    answer: ({ out }: Done<LaneWrites['lane.begin']>) => out,
    then: { begun: 'write', busy: 'finish', lost: 'finish' },
  }),
  stage({
    name: 'write',
    part: 'send',
    by: 'nextWrite',
    takes: 'the items of the plan, and each answer of the EHR',
    gives: 'the next request, until everything is written or one answer ends the attempt',
    answer: ({ act }: Output<typeof nextWrite>) => act.kind,
    then: { send: 'write', look: 'read-back', learn: 'read-back', end: 'finish' },
  }),
  stage({
    name: 'read-back',
    part: 'send',
    by: 'lookUp',
    takes: 'the name of a resource',
    gives: 'what the chart holds under it',
    answer: (looked: Output<typeof lookUp>) => (looked.ok ? looked.value.kind : 'unanswered'),
    then: { there: 'write', absent: 'write', several: 'write', unfindable: 'write', unanswered: 'write' },
  }),
  stage({
    name: 'finish',
    part: 'send',
    by: 'lane.finish',
    takes: 'what was written and taken back, and the outcome',
    gives: 'ledger, state, lane and audit in one commit',
    answer: ({ args, out }: Done<LaneWrites['lane.finish']>) => (out === 'lost' ? 'lease-lost' : args.outcome.kind),
    then: {
      delivered: 'delivered',
      park: 'parked',
      retry: 'queued',
      unknown: 'unknown',
      'put-back': 'queued',
      'lease-lost': 'claim',
    },
  }),
];
