import { expect, test } from '@jest/globals';
import { makeSignal } from '../../../src/kernel/index.ts';

test('whoever listens is told, in the order in which they came, and of nothing that was before', () => {
  const signal = makeSignal<number>();
  const heard: string[] = [];
  signal.emit(1);
  signal.on((value) => heard.push(`first ${value}`));
  signal.on((value) => heard.push(`second ${value}`));
  signal.emit(2);
  expect(heard).toEqual(['first 2', 'second 2']);
});
