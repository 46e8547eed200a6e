import { StartError } from '../kernel/index.ts';

/** One thing that is wrong with the mapping data. */
export interface Problem {
  /** `conceptmap-metrics.json#weight/point`, or the file alone. */
  readonly row: string;
  readonly text: string;
}

export type Report = (row: string, text: string) => void;

/** Thrown at start with every problem found, so that they can be mended in one go. */
export class MappingsError extends StartError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('mappings.unsound', `Mappings:\n${problems.map(({ row, text }) => `  ${row}: ${text}`).join('\n')}`);
    this.name = 'MappingsError';
    this.problems = problems;
  }
}
