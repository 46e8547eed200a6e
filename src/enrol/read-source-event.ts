import type { ConnectionNews } from './commands.ts';

/** What a delivery told that is of the enrolment, as whoever judged it hands it on. */
export type SourceEvent =
  | {
      readonly kind: 'notification';
      readonly dataSource: string | null;
      readonly action: string;
      readonly level: string | null;
      readonly message: string | null;
      readonly at: string | null;
    }
  | { readonly kind: 'lab' | 'profile'; readonly id: string };

type NotificationEvent = Extract<SourceEvent, { kind: 'notification' }>;

const DATA_SOURCE_MAX = 100;

/** The complete list of actions is not published: these words decide, and what they do not know changes nothing. */
function stateOf(action: string): ConnectionNews['state'] {
  if (/disconnect|revoke|unlink/i.test(action)) return 'ended';
  return /connect/i.test(action) && !/fail|error/i.test(action) ? 'connected' : null;
}

/** News of a connection; null where the notification is about none. */
export function readNews({ dataSource, action, level, message }: NotificationEvent): ConnectionNews | null {
  if (dataSource === null || dataSource === '' || dataSource.length > DATA_SOURCE_MAX) return null;
  const state = stateOf(action);
  const isWrong = (level !== null && !/^(info|debug)$/i.test(level)) || /fail|error/i.test(action);
  if (state === null && !isWrong) return null;
  return { dataSource, state, failure: isWrong ? { action, message: message ?? '' } : null };
}

/** `action_datetime` has no offset; UTC is what it can only mean. */
export function readTime(text: string | null, otherwise: Date): Date {
  if (text === null) return otherwise;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  // From the future: a clock that is wrong must not outvote everything that follows.
  return Number.isNaN(ms) || ms > otherwise.getTime() ? otherwise : new Date(ms);
}
