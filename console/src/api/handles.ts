import { useEffect, useState } from 'react';
import { HANDLES_AT_ONCE, isHandle, type Handled } from '../../../src/admin/contract/handle-shape.ts';
import { ask, type Reply } from './ask.ts';
import { useMay } from './session.tsx';

/** What this page knows of handles. It is kept nowhere: a page that is loaded anew asks again. */
const handles = new Map<string, string>();
const values = new Map<string, string>();
const keyOf = (of: Handled, value: string): string => `${of} ${value}`;

function remember(of: Handled, value: string, handle: string): void {
  handles.set(keyOf(of, value), handle);
  values.set(handle, value);
}

async function makeHandles(mrns: readonly string[], users: readonly string[]): Promise<Reply<null>> {
  const reply = await ask('handles.make', { body: { mrns: [...mrns], users: [...users] } });
  if (reply.kind === 'refused') return reply;
  for (const [i, mrn] of mrns.entries()) remember('mrn', mrn, reply.value.mrns[i] ?? '');
  for (const [i, user] of users.entries()) remember('user', user, reply.value.users[i] ?? '');
  return { kind: 'done', value: null };
}

/** The handle of what was typed, which may be one already. */
export async function handleOf(of: Handled, typed: string): Promise<Reply<string>> {
  if (isHandle(typed)) return { kind: 'done', value: typed };
  const made = handles.has(keyOf(of, typed))
    ? ({ kind: 'done' } as const)
    : await makeHandles(of === 'mrn' ? [typed] : [], of === 'user' ? [typed] : []);
  return made.kind === 'refused' ? made : { kind: 'done', value: handles.get(keyOf(of, typed)) ?? '' };
}

export type FindHandle = (of: Handled, value: string | null) => string | undefined;

/** Handles of everybody on a page of a list, made in one request; undefined until they are there. */
export function useHandles(mrns: readonly (string | null)[], users: readonly (string | null)[]): FindHandle {
  const [, setTurn] = useState(0);
  const mayMake = useMay('handles.make');
  const missing = (of: Handled, all: readonly (string | null)[]): string[] =>
    [...new Set(all)]
      .filter((one): one is string => one !== null && !handles.has(keyOf(of, one)))
      .slice(0, HANDLES_AT_ONCE);
  const wanted = JSON.stringify([missing('mrn', mrns), missing('user', users)]);
  useEffect(() => {
    const [newMrns, newUsers] = JSON.parse(wanted) as [string[], string[]];
    if (!mayMake || newMrns.length + newUsers.length === 0) return;
    void makeHandles(newMrns, newUsers).then(() => setTurn((n) => n + 1));
  }, [wanted, mayMake]);
  return (of, value) => (value === null ? undefined : handles.get(keyOf(of, value)));
}

/** Of whom a handle is; null until that is known, or where the reader may not know. */
export function useOpened(handle: string | undefined): string | null {
  const [, setTurn] = useState(0);
  const maySee = useMay('patients.read');
  const known = handle === undefined ? null : (values.get(handle) ?? null);
  const isWanted = maySee && handle?.startsWith('~m.') === true && known === null;
  useEffect(() => {
    if (!isWanted) return;
    void ask('handles.open', { body: { handles: [handle] } }).then((reply) => {
      const [mrn] = reply.kind === 'done' ? reply.value.mrns : [];
      if (mrn === undefined) return;
      remember('mrn', mrn, handle);
      setTurn((n) => n + 1);
    });
  }, [handle, isWanted]);
  return known;
}
