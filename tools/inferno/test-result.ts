/** What Inferno says of one test; `omit` is a test that does not apply here. */
export type Outcome = 'pass' | 'fail' | 'error' | 'skip' | 'omit' | 'cancel' | 'wait' | 'running';

export type TestResult = {
  readonly id: string;
  readonly outcome: Outcome;
  /** A suite can be passed without these. */
  readonly isOptional: boolean;
  readonly message: string;
};

/** One group of a suite, run at one server. */
export type Finished = {
  readonly session: string;
  readonly tests: readonly TestResult[];
  /** Why it ended before its last test; null where it did not. */
  readonly stopped: string | null;
  readonly seconds: number;
};
