/**
 * The first thing that is wrong. `seq` is the first record of which it is known; null where it is about no single one.
 */
export interface Flaw {
  readonly what:
    | 'record-changed'
    | 'record-missing'
    | 'record-moved'
    | 'link-broken'
    | 'columns-changed'
    | 'pairs-changed'
    | 'chain-missing'
    | 'chain-start'
    | 'rechained'
    | 'withheld'
    | 'checkpoint-missing'
    | 'checkpoint-forged'
    | 'checkpoint-order'
    | 'root'
    | 'anchor-missing'
    | 'segment-missing'
    | 'segment-changed';
  readonly chain: string | null;
  readonly seq: number | null;
  readonly checkpoint: number | null;
}

/** Thrown from wherever a flaw is met to the one place that reports it. */
export class Flawed extends Error {
  readonly flaw: Flaw;
  constructor(what: Flaw['what'], at: Partial<Flaw> = {}) {
    super(what);
    this.flaw = { what, chain: null, seq: null, checkpoint: null, ...at };
  }
}
