/** A step of a trial, told as it is done; what fails ends the trial. */
export function must(isTrue: boolean, what: string): void {
  console.log(`${isTrue ? 'ok' : 'FAILED'}: ${what}`);
  if (!isTrue) throw new Error(what);
}

/** The status of an answer; 0 where there is none. */
export async function statusOf(url: string): Promise<number> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
