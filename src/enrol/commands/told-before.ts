import { get, type Program } from '../../store/index.ts';

/** Whether the delivery at this place has the bytes of one before it, which has told of the same. */
export function* wasToldBefore(deliverySeq: number | undefined): Program<boolean> {
  if (deliverySeq === undefined) return false;
  const row = yield* get`SELECT 1 AS told FROM delivery WHERE seq = ${deliverySeq} AND state = 'duplicate'`;
  return row !== undefined;
}
