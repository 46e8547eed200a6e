/** The other workers that serve the same port, each a gateway in a process of its own. */
export interface Peers {
  /** Tells every other one, what JSON can carry. None answers, and one that is started later does not hear of it. */
  tell(topic: string, value: unknown): void;
  /** Hears of what the others tell. */
  onTold(topic: string, listener: (value: unknown) => void): void;
}

/** Where one process serves the port alone. */
export const NO_PEERS: Peers = { tell: () => undefined, onTold: () => undefined };

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
}
type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/**
 * What was called here is called at every peer too, so that all of them come to the same. The answer is that of this
 * process; a call that it refuses by `false` changes nothing and is not told.
 */
export function shareCalls<T extends object>(peers: Peers, topic: string, own: T): T {
  const methods = own as Methods;
  peers.onTold(topic, (told) => {
    const { method, args } = told as Call;
    methods[method]?.(...args);
  });
  const call =
    (method: string) =>
    (...args: readonly unknown[]): unknown => {
      const answer = methods[method]?.(...args);
      if (answer !== false) peers.tell(topic, { method, args } satisfies Call);
      return answer;
    };
  return Object.fromEntries(Object.keys(methods).map((method) => [method, call(method)])) as T;
}
