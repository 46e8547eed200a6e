/** What an EHR was seen not to do with the conditions of searches. */
export interface UnmetConditions {
  note(type: string, param: string, times: number): void;
  /** By type and parameter, how many entries were left out since the start: `Encounter.location`. */
  current(): Readonly<Record<string, number>>;
}

const NAMES_MAX = 500;

/** Counts in memory, since it tells of how the EHR is now. */
export function makeUnmetConditions(): UnmetConditions {
  const counts = new Map<string, number>();
  return {
    note(type, param, times) {
      const name = `${type}.${param}`;
      if (counts.has(name) || counts.size < NAMES_MAX) counts.set(name, (counts.get(name) ?? 0) + times);
    },
    current: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
