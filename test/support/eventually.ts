import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks until the answer is the wanted one, or gives the last answer after `ms`. For what other processes do in their
 * own time.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean,
  ms = 15_000,
): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer) || performance.now() > until) return answer;
    await pause(20);
  }
}
