import type { IncomingMessage } from 'node:http';

/** What a sender shows before its body is read. */
export interface Head {
  readonly pathSecret: string;
  readonly headers: IncomingMessage['headers'];
  /** The address of the socket, which nobody can write into a header. */
  readonly remoteAddress: string;
}

/**
 * One way to authenticate the sender. Every configured one must pass. `head` ones are asked before a byte of the body
 * is read; an address or a client_uuid is none: both are known to others.
 */
export type Authenticator = {
  /** As the audit names it. */
  readonly name: string;
  /** What the sender shows by it, as refusals are counted. */
  readonly proves: 'secret' | 'basic' | 'certificate' | 'signature';
} & (
  | { readonly stage: 'head'; readonly check: (head: Head) => boolean }
  | { readonly stage: 'body'; readonly check: (head: Head, body: Buffer) => boolean }
);
