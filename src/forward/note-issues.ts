import { readIssues, type OutcomeIssue, type Target } from '../ehr/index.ts';

/** The EHR, and what it said was wrong with what was last refused. */
export function noteIssues(target: Target): {
  readonly target: Target;
  readonly issues: () => readonly OutcomeIssue[];
} {
  let last: readonly OutcomeIssue[] = [];
  return {
    target: {
      ...target,
      send: async (request) => {
        const sent = await target.send(request);
        const found = readIssues(sent.exchange);
        if (found.length > 0) last = found;
        return sent;
      },
    },
    issues: () => last,
  };
}
