export interface Link {
  readonly words: string;
  readonly url: string;
}

/** Who a user is for whoever runs a demonstration: the service itself knows no names. */
export interface Introduced {
  readonly name: string;
  readonly about: string;
  readonly links: readonly Link[];
}

/** What the first page says besides what the sandbox knows itself. */
export interface Introduction {
  /** What runs beside the sandbox. */
  readonly beside: readonly (Link & { readonly about: string })[];
  readonly person: (user: string) => Introduced | null;
}

export const NO_INTRODUCTION: Introduction = { beside: [], person: () => null };
