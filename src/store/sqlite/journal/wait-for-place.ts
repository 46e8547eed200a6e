/** Longer nobody waits for what others were acknowledged: they see what is there. */
const WAIT_MS = 5_000;

interface Waiter {
  readonly place: number;
  readonly go: () => void;
}

/** Waits until the journal is carried out up to a place, and wants that to happen. */
export function makeWaitForPlace({
  carriedPlace,
  onWanted,
}: {
  readonly carriedPlace: () => number;
  readonly onWanted: () => void;
}) {
  const waiting = new Set<Waiter>();
  return {
    /** The last place that somebody waits for; 0 for nobody. */
    wantedPlace: (): number => waiting.values().reduce((last, { place }) => Math.max(last, place), 0),
    /** Resolves also where it takes too long, or cannot be carried out. */
    until(place: number): Promise<void> {
      if (place <= carriedPlace()) return Promise.resolve();
      return new Promise((resolve) => {
        const late = setTimeout(() => one.go(), WAIT_MS);
        const one: Waiter = {
          place,
          go() {
            clearTimeout(late);
            waiting.delete(one);
            resolve();
          },
        };
        waiting.add(one);
        onWanted();
      });
    },
    /** A batch was carried out; `all`: it could not be. */
    release(which: 'carried-out' | 'all'): void {
      const place = carriedPlace();
      for (const one of waiting) if (which === 'all' || one.place <= place) one.go();
    },
  };
}
