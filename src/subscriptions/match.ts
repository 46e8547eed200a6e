import type { EventItem, EventKind, Label } from '../events/index.ts';

/** A condition of the form of a FHIR search: a code or a category, of which one must be there. */
export interface Condition {
  readonly param: 'code' | 'category';
  /** `system|code`, `|code` or `code`. */
  readonly values: readonly string[];
}

export interface Filters {
  /** All of them must hold. */
  readonly all: readonly Condition[];
  /** One of these sets must hold as a whole: the parts of a type that the app's scopes allow. Empty: every part. */
  readonly within: readonly (readonly Condition[])[];
}

/** Whether a label is what a value of a token search asks for. `label`: without the name of its parameter. */
function isToken(label: string, value: string): boolean {
  const [system, code] = [label.slice(0, label.lastIndexOf('|')), label.slice(label.lastIndexOf('|') + 1)];
  const bar = value.indexOf('|');
  if (bar < 0) return code === value;
  const [wantedSystem, wantedCode] = [value.slice(0, bar), value.slice(bar + 1)];
  return system === wantedSystem && (wantedCode === '' || wantedCode === code);
}

export const holds = ({ param, values }: Condition, labels: readonly Label[]): boolean =>
  labels.some((label) => {
    const of = label.startsWith(`${param}=`) ? label.slice(param.length + 1) : null;
    return of !== null && values.some((value) => isToken(of, value));
  });

const allHold = (conditions: readonly Condition[], labels: readonly Label[]): boolean =>
  conditions.every((one) => holds(one, labels));

/** Whether a subscription to this kind of event, with these filters, is told of an item. */
export function isWanted(item: EventItem, kind: EventKind, { all, within }: Filters): boolean {
  if (item.kind !== kind) return false;
  const labels = item.kind === 'patient-connection' ? [] : item.labels;
  return allHold(all, labels) && (within.length === 0 || within.some((one) => allHold(one, labels)));
}
