/** A search of the audit that somebody keeps under a name. What it looks for may name a patient. */
export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
  readonly savedAtMs: number;
}

/** How many one operator keeps. */
export const SEARCHES_MAX = 100;
