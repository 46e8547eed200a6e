/** One measured figure. `ratio` is ours over theirs in speed: above 1 we are faster. */
export interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly ratio: number;
  readonly ours: number;
  readonly theirs: number;
  readonly unit: string;
  readonly note: string;
}
