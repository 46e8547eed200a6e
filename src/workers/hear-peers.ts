type Listener = (value: unknown) => void;

/** What peers tell, for whoever listens. What is told while a worker still starts waits for its listener. */
export function makeHearPeers() {
  const listeners = new Map<string, Listener>();
  const early = new Map<string, unknown[]>();
  return {
    on(topic: string, listener: Listener): void {
      listeners.set(topic, listener);
      early.get(topic)?.forEach(listener);
      early.delete(topic);
    },
    hear(topic: string, value: unknown): void {
      const listener = listeners.get(topic);
      if (listener === undefined) early.set(topic, [...(early.get(topic) ?? []), value]);
      else listener(value);
    },
  };
}
