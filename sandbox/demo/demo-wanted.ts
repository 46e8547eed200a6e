import { createServer } from 'node:net';
import { SPEED_MAX } from '../index.ts';

const count = (text: string | undefined, min: number, max: number): number | null => {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : null;
};

/** Null where the text is no port. */
export const readPort = (text: string | undefined): number | null => count(text, 0, 65_535);

/** How many people are simulated, how much of their past, and how fast they live. */
export interface Wanted {
  readonly users: number;
  readonly days: number;
  readonly speed: number;
}

export function readWanted(values: {
  readonly users?: string;
  readonly days?: string;
  readonly speed?: string;
}): Wanted | null {
  const [users, days, speed] = [
    count(values.users, 1, 5_000),
    count(values.days, 1, 365),
    count(values.speed, 1, SPEED_MAX),
  ];
  return users === null || days === null || speed === null ? null : { users, days, speed };
}

/**
 * The gateway names its own address in what it answers, so a port of the machine's choice is chosen before it starts.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address !== 'string' ? address.port : 0;
}
