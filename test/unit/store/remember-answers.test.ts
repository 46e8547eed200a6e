import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ok, type Result } from '../../../src/kernel/index.ts';
import { rememberAnswers } from '../../../src/store/remember-answers.ts';

type Step = 'ask' | 'write' | 'add' | 'answer';

describe('answers that are kept', () => {
  it('never tell what was true before a write that somebody has heard of', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Step>('ask', 'write', 'add', 'answer'), { maxLength: 40 }),
        async (steps) => {
          let value = 0;
          const waiting: (() => void)[] = [];
          // The reader sees what is there when it looks, and is heard of later.
          const read = (): Promise<Result<unknown>> => {
            const seen = value;
            return new Promise((resolve) => waiting.push(() => resolve(ok(seen))));
          };
          const kept = rememberAnswers(read, new Set(['add']));
          const asked: { readonly atLeast: number; readonly answer: Promise<Result<unknown>> }[] = [];
          for (const step of steps) {
            if (step === 'ask') asked.push({ atLeast: value, answer: kept.read('value', { of: 'one' }) });
            else if (step === 'answer') waiting.shift()?.();
            else {
              if (step === 'write') value += 1;
              kept.written([step]);
            }
            await Promise.resolve();
          }
          for (const answer of waiting) answer();
          for (const { atLeast, answer } of asked) {
            const got = await answer;
            expect(got.ok && (got.value as number)).toBeGreaterThanOrEqual(atLeast);
          }
        },
      ),
    );
  });

  it('are asked for once until something is written, whatever is added', async () => {
    let asked = 0;
    const kept = rememberAnswers(
      () => {
        asked += 1;
        return Promise.resolve(ok(asked));
      },
      new Set(['add']),
    );
    await kept.read('value', { of: 'one' });
    kept.written(['add', 'add']);
    expect(await kept.read('value', { of: 'one' })).toEqual(ok(1));
    expect(await kept.read('value', { of: 'another' })).toEqual(ok(2));
    kept.written(['add', 'change']);
    expect(await kept.read('value', { of: 'one' })).toEqual(ok(3));
  });
});
