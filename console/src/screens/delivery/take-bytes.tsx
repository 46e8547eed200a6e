import type { SyntheticEvent } from 'react';
import { ask } from '../../api/ask.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { ReasonField } from '../../ui/reason-field.tsx';

/** The bytes of a delivery, for who says why and proves once more that it is them. Without an id it is asked for. */
export function TakeBytes({
  id,
  does,
  onTaken,
}: {
  readonly id: string | { readonly suggested: string | undefined };
  readonly does: string;
  readonly onTaken: (bytes: Uint8Array<ArrayBuffer>) => void;
}) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { reason, delivery } = textsOf(event.currentTarget, 'reason', 'delivery');
    const params = { id: typeof id === 'string' ? id : delivery };
    const asked = ask('deliveries.raw', { params, reason });
    if (!(await act.run(asked, () => ''))) return;
    const reply = await asked;
    if (reply.kind === 'done') onTaken(new Uint8Array(reply.value));
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      <p>
        The bytes tell of the patient. You are asked to prove once more that it is you, and the audit keeps your name
        and the reason.
      </p>
      {typeof id === 'string' ? null : (
        <Field
          label="Delivery"
          name="delivery"
          required
          maxLength={64}
          defaultValue={id.suggested ?? ''}
          hint="Its id, such as dlv_…"
        />
      )}
      <ReasonField label="What you want them for" isFocused={false} />
      <button type="submit" disabled={act.isBusy}>
        {does}
      </button>
      <Outcome of={act} />
    </form>
  );
}
