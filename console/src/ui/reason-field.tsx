import { Field } from './field.tsx';

/** What the API takes as a reason. */
const PATTERN = String.raw`[\p{L}\p{N} .,;:\(\)'_\/\-]{3,200}`;

/** Why somebody does or wants something; the audit keeps it. */
export function ReasonField({
  label = 'Reason',
  isFocused = true,
}: {
  readonly label?: string;
  readonly isFocused?: boolean;
}) {
  return (
    <Field
      label={label}
      name="reason"
      required
      minLength={3}
      maxLength={200}
      pattern={PATTERN}
      title="Letters, digits, spaces and . , ; : ( ) ' _ / -"
      hint="With nothing of a patient in it. The audit keeps it."
      autoFocus={isFocused}
    />
  );
}
