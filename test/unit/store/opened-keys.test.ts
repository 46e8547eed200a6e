import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { makeWriterMemory } from '../../../src/store/index.ts';
import { forgetKey, forgetKeys, openKey, rememberKey } from '../../../src/store/opened-keys.ts';
import { makeVault } from '../../../src/store/vault.ts';

const bytes = (): Uint8Array => new Uint8Array(randomBytes(32));

function setUp(engine: 'sqlite' | 'postgres') {
  const vault = makeVault({ data: [bytes()], pseudonym: bytes() });
  const key = vault.makeKey();
  const context = { vault, memory: makeWriterMemory(), engine } as const;
  const sealed = vault.seal(key, 'row 1');
  const opened = { key, sealer: vault.under(key) };
  rememberKey(context, sealed, 'row 1', opened);
  const open = (place = 'row 1', value: Uint8Array = sealed) => openKey(context, vault, value, place);
  return { context, sealed, opened, open };
}

test('a key that was made or opened is found by its stored form at its place', () => {
  const { opened, open, sealed } = setUp('sqlite');
  expect(open()).toBe(opened);
  // Rows are read into memory of their own.
  expect(open('row 1', new Uint8Array(sealed))).toBe(opened);
});

test('a stored form that was moved or changed does not open, remembered or not', () => {
  const { open, sealed } = setUp('sqlite');
  expect(() => open('row 2')).toThrow();
  const changed = new Uint8Array(sealed);
  changed[20] = (changed[20] ?? 0) ^ 1;
  expect(() => open('row 1', changed)).toThrow();
});

test.each([
  [
    'forgotten by itself',
    'sqlite',
    ({ context, sealed }: ReturnType<typeof setUp>) => forgetKey(context, sealed, 'row 1'),
  ],
  ['forgotten with all', 'sqlite', ({ context }: ReturnType<typeof setUp>) => forgetKeys(context)],
  ['undone', 'sqlite', ({ context }: ReturnType<typeof setUp>) => context.memory.forget()],
  ['never remembered', 'postgres', () => undefined],
] as const)('a key that was %s is opened anew, and is the same (%s)', (_how, engine, forget) => {
  const made = setUp(engine);
  forget(made);
  const anew = made.open();
  expect(anew).not.toBe(made.opened);
  expect(Buffer.from(anew.key).equals(made.opened.key)).toBe(true);
  const note = new Uint8Array([1, 2, 3]);
  expect(new Uint8Array(anew.sealer.open(made.opened.sealer.seal(note, 'here'), 'here'))).toEqual(note);
});
