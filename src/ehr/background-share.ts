/** How often it is looked whether those who go first are done: nobody tells when they are. */
const LOOK_MS = 20;

/**
 * Work at the EHR that nobody waits for. It has a share of its own, and is down to one request at a time while anybody
 * else is at the EHR.
 */
export interface BackgroundShare {
  /** Resolves when there is room, first come first served, with what gives it back. */
  enter(): Promise<() => void>;
}

export function makeBackgroundShare(deps: {
  /** Requests at once, at most. */
  readonly most: number;
  /** Whether an app reads or a delivery is written at this moment. */
  readonly isOthersTurn: () => boolean;
}): BackgroundShare {
  const waiting: ((leave: () => void) => void)[] = [];
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  const hasRoom = (): boolean => inFlight < (deps.isOthersTurn() ? 1 : deps.most);

  function take(): () => void {
    inFlight += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      inFlight -= 1;
      letIn();
    };
  }

  function letIn(): void {
    while (waiting.length > 0 && hasRoom()) waiting.shift()?.(take());
    if (waiting.length > 0) timer ??= setInterval(letIn, LOOK_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        letIn();
      }),
  };
}
