import { fragment, MILLISECONDS, now, typed, type Fragment, type Part } from '../../../store/index.ts';
import { EVALUATION_LEASE_MS, NOT_YET_WAIT_MS } from '../rows.ts';

/**
 * Of a row of `shadow_result`: nobody evaluates it, it need not wait, and it was not evaluated on this basis. A lease
 * or a wait that would end later than any does was counted by a clock that was ahead, and holds nobody up.
 */
export const isDue = (row: Part, at: Date, basis: Uint8Array): Fragment => fragment`
  (${row}.taken_until <= ${now(at)}
    OR ${row}.taken_until > ${now(at)} + ${typed('int', EVALUATION_LEASE_MS)}${MILLISECONDS})
  AND (${row}.due_at <= ${typed('bigint', at.getTime())}
    OR ${row}.due_at > ${typed('bigint', at.getTime())} + ${typed('bigint', NOT_YET_WAIT_MS)})
  AND (${row}.basis IS NULL OR ${row}.basis <> ${basis} OR ${row}.kind = 'not-yet')`;
