import { Field } from './field.tsx';

/** What a header of HTTP can carry of what the API takes as a reason. */
const PATTERN = String.raw`[A-Za-z0-9À-ÖØ-öø-ÿ .,;:\(\)'_\/\-]{3,200}`;

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
