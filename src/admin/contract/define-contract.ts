import type { z } from 'zod';
import type { FaultCode } from '../../kernel/index.ts';
import type { Permission, Presence } from '../../operators/index.ts';

/** Under which heading the reference shows a route. */
export const GROUPS = {
  Flow: 'How many deliveries there are, in which state, and whether that adds up.',
  Deliveries: 'What the source sent, what became of it, and what a person decides about it.',
  Jobs: 'Acts on many deliveries: previewed, started, carried out in the background.',
  Mappings: 'Words of the source that nobody has mapped, and mapping data loaded anew.',
  Targets: 'The EHR: what it can, how it is written to, and whether it is left alone.',
  'Shadow mode': 'What would be written to the EHR, and the way out of shadow mode.',
  Links: 'Which patient a source user is.',
  Patients: 'The connections, laboratory documents and profiles of a patient at the health data service.',
  Erasure: 'Destroys what is stored of a source user.',
  Audit: 'Who saw or wrote what, and the proof that nothing of it was changed.',
  Apps: 'Apps, the people who sign in to them, and launches.',
  Keys: 'Keys that sign and keys that seal.',
  Settings: 'What the gateway runs with, and how old its keys are.',
  Operators: 'People who operate the gateway: signing in, second factors, sessions, roles, API keys.',
} as const;
export type Group = keyof typeof GROUPS;

/**
 * What the audit holds of a request. `act`: one record of these names, before the answer. `later`: the same, without
 * waiting for it, for what shows counts alone. `by-command`: the command that changes something writes the record in
 * the same commit; `also` names what is recorded beside it. `no`: nothing, and why.
 */
export type Audited =
  | { readonly kind: 'act'; readonly names: readonly [string, ...string[]] }
  | { readonly kind: 'later'; readonly name: string }
  | { readonly kind: 'by-command'; readonly also?: readonly string[] }
  | { readonly kind: 'no'; readonly because: string };

/** `json`: read and checked before the handler. `bytes`: of one of these types, read by the handler. */
export type Body =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType;
      readonly bytesMax: number;
      /** An empty body is an object without fields. */
      readonly isRequired: boolean;
    }
  | { readonly kind: 'bytes'; readonly types: readonly string[] };

/** An answer of lines, each of them JSON; the header `Next-Cursor` leads on. */
export interface Lines {
  readonly kind: 'lines';
  readonly types: readonly [string, ...string[]];
}

/** An answer that goes on: server-sent events, each with JSON of the schema that its name has. */
export interface Events {
  readonly kind: 'events';
  readonly events: Readonly<Record<string, z.ZodType>>;
}

/** An answer of bytes as they are stored, to be saved and not shown. */
export interface Bytes {
  readonly kind: 'bytes';
  readonly types: readonly [string, ...string[]];
}

/** Where a caller says why they want to see something. In a header: addresses are kept by browsers and proxies. */
export const REASON_HEADER = 'Chartgate-Reason';

/** What the caller may, by role or by name. */
interface ByPermission {
  readonly permission: Permission;
  /** A person must have proved a second factor lately. */
  readonly proof?: 'second';
}
/** What people do with their own session asks for no permission, but for somebody who has come so far. */
interface ByPresence {
  readonly permission: null;
  readonly presence: Presence;
  readonly proof?: never;
}

/** One route of the admin API, without its handler: what server, client, description and reference are made of. */
export type Contract = Described & (ByPermission | ByPresence);

interface Described {
  /** `group.verb`: the name by which a client calls it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: `/admin/api/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly group: Group;
  /** The caller must say why, whoever it is about. */
  readonly reason?: 'needed';
  readonly audited: Audited;
  /** Of each part of the path that is named. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: Body;
  /** 200, where it is not said. */
  readonly status?: 200 | 201 | 202;
  readonly answer: z.ZodType | Lines | Bytes | Events;
  /** What the answer is, in a sentence. */
  readonly answers: string;
  /** Faults of its own, beside those that every route has. */
  readonly errors: readonly FaultCode[];
  /** A body that would be taken. */
  readonly example?: Readonly<Record<string, unknown>>;
}

export const defineContract = <const C extends Contract>(contract: C): C => contract;

type OutputOf<S> = S extends z.ZodType ? z.output<S> : unknown;

/** What a handler is given. */
export interface InputOf<C extends Contract> {
  readonly params: OutputOf<C['params']>;
  readonly query: OutputOf<C['query']>;
  readonly body: C['body'] extends { readonly kind: 'json'; readonly schema: infer S } ? OutputOf<S> : undefined;
}

/** Nothing that is answered is changed afterwards. */
type Frozen<T> = T extends (...args: never) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** What an answer holds; of lines, their text. A stream has no whole answer: it is watched. */
export type AnswerOf<C extends Contract> = C['answer'] extends z.ZodType
  ? Frozen<z.output<C['answer']>>
  : C['answer'] extends Events
    ? never
    : C['answer'] extends Bytes
      ? Uint8Array
      : string;

/** One event of a stream; its `id` is what a watcher who comes again names. */
export type EventOf<C extends Contract> = C['answer'] extends { readonly kind: 'events'; readonly events: infer E }
  ? {
      readonly [N in keyof E]: {
        readonly kind: N;
        readonly id: string;
        readonly data: E[N] extends z.ZodType ? Frozen<z.output<E[N]>> : never;
      };
    }[keyof E]
  : never;
