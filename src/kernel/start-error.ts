/**
 * Thrown while starting, when nothing can be served. The message is for the person at the terminal and holds no secret.
 */
export class StartError extends Error {
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartError';
    this.code = code;
  }
}
