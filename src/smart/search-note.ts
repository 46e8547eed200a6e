/** What an answer says of itself: what was not done, or what it does not hold. In words of ours. */
export interface Note {
  /** https://hl7.org/fhir/R4/valueset-issue-type.html */
  readonly code: 'not-supported' | 'incomplete' | 'too-costly' | 'informational';
  readonly text: string;
  /** The parameter that it is about. */
  readonly at?: string;
}

/** The entry of a searchset that carries notes; none where there is nothing to say. */
export const notesEntry = (notes: readonly Note[]): readonly object[] =>
  notes.length === 0
    ? []
    : [
        {
          resource: {
            resourceType: 'OperationOutcome',
            issue: notes.map(({ code, text, at }) => ({
              severity: code === 'informational' ? 'information' : 'warning',
              code,
              details: { text },
              ...(at === undefined ? {} : { expression: [at] }),
            })),
          },
          search: { mode: 'outcome' },
        },
      ];
