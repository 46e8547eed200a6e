import type { Fault } from './fault.ts';

export type Result<T, F = Fault> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: F };

export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const fail = <F>(fault: F): { ok: false; fault: F } => ({ ok: false, fault });
