import { Pick } from './pick.tsx';

/** One of several that say themselves what they are, or any. */
export function Choice({
  of,
  ...rest
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly of: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}) {
  return <Pick of={of.map((one) => [one, one])} any="any" {...rest} />;
}
