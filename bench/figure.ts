/** One measured figure. `ratio` is ours against theirs in the same run; goals are in docs/benchmarks.md. */
export interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly ratio: number;
  readonly ours: number;
  readonly theirs: number;
  readonly unit: string;
  readonly note: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
};

/** Three digits are all that a noisy machine can tell. */
export const round = (value: number): number => Number(value.toPrecision(3));
