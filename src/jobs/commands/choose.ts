import {
  all,
  allOf,
  among,
  fragment,
  userIndex,
  words,
  type CommandContext,
  type Fragment,
  type Program,
  type Vault,
} from '../../store/index.ts';
import type { SeenDelivery } from '../../inbox/index.ts';
import { DELIVERIES_MAX, type Choice, type JobReads, type Whose } from '../commands.ts';

/** The words of the index `delivery_stuck`: without them it is not used. */
const IS_STUCK = words(`d.state IN ('parked','quarantined')`);
const FAULT = words(`coalesce(d.fault_code, '')`);

const waitingFor = (tenant: string, word: string): Fragment => fragment`(
  SELECT w.seq FROM delivery_word w WHERE w.tenant = ${tenant} AND w.word_index = ${Buffer.from(word, 'hex')})`;

const conditionsOf = (tenant: string, choice: Choice, users: readonly string[] | null): Fragment[] => [
  fragment`d.tenant = ${tenant} AND d.state = ${choice.state} AND ${IS_STUCK}`,
  ...(choice.reason === null ? [] : [fragment`d.reason = ${choice.reason}`]),
  ...(choice.faultCode === null ? [] : [fragment`${FAULT} = ${choice.faultCode}`]),
  ...(choice.dataStructure === null ? [] : [fragment`d.data_structure = ${choice.dataStructure}`]),
  ...(choice.word === null ? [] : [fragment`d.seq IN ${waitingFor(tenant, choice.word)}`]),
  ...(users === null ? [] : [fragment`d.user_index ${among('bytea', users)}`]),
  ...(choice.receivedFrom === null ? [] : [fragment`d.received_at >= ${choice.receivedFrom}`]),
  ...(choice.receivedTo === null ? [] : [fragment`d.received_at < ${choice.receivedTo}`]),
];

function usersOf(vault: Vault, whose: Whose): readonly string[] | null {
  if (whose === null || !('client' in whose)) return whose;
  return [userIndex(vault, whose.client, whose.user).toString('hex')];
}

type Choose = JobReads['jobs.choose'];

/** In one statement, which sees one moment. In no order, so that no engine walks along another index for its sake. */
export function* choose({ vault }: CommandContext, { tenant, choice, whose }: Choose['args']): Program<Choose['out']> {
  const users = usersOf(vault, whose);
  if (users?.length === 0) return { deliveries: [], patients: 0, ofNobody: 0 };
  const rows = yield* all`
    SELECT d.seq, d.state_at, coalesce(l.mrn_index, d.user_index) AS patient
    FROM delivery d LEFT JOIN link l
      ON l.tenant = d.tenant AND l.user_index = d.user_index AND l.status = 'confirmed'
    WHERE ${allOf(conditionsOf(tenant, choice, users))} LIMIT ${DELIVERIES_MAX + 1}`;
  const patients = new Set<string>();
  let ofNobody = 0;
  const deliveries = rows.map(({ seq, state_at: stateAt, patient }): SeenDelivery => {
    if (patient === null) ofNobody += 1;
    else patients.add(Buffer.from(patient as Uint8Array).toString('base64'));
    return [Number(seq), Number(stateAt)];
  });
  return { deliveries: deliveries.sort(([a], [b]) => a - b), patients: patients.size, ofNobody };
}
