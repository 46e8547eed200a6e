import type { Connection, LabDocument } from './state.ts';

/**
 * What happened at the service. Whoever simulates data listens to these, and reads the rest from the state: it is the
 * only thing that the API and the data have in common.
 */
export type Happening =
  | { readonly kind: 'user-created'; readonly client: string; readonly user: string }
  | { readonly kind: 'connected'; readonly connection: Connection }
  | { readonly kind: 'disconnected'; readonly connection: Connection; readonly by: 'client' | 'provider' | 'app' }
  /** Its bytes are with the documents. */
  | { readonly kind: 'lab-received'; readonly id: string; readonly document: LabDocument }
  | { readonly kind: 'profile-requested'; readonly id: string; readonly client: string; readonly user: string }
  /** `user`: null is the client's general rule. */
  | { readonly kind: 'rule-changed'; readonly client: string; readonly user: string | null };

export type Happened = (happening: Happening) => void;

/** Tells every listener, in the order in which they came. */
export function makeHappenings(): { readonly tell: Happened; listen(listener: Happened): void } {
  const listeners: Happened[] = [];
  return {
    tell: (happening) => {
      for (const listener of listeners) listener(happening);
    },
    listen: (listener) => void listeners.push(listener),
  };
}
