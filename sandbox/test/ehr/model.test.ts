import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  MRN,
  anObservation,
  askAt,
  entriesOf,
  idOf,
  must,
  query,
  startTestEhr,
  type Ask,
  type Reply,
} from './support.ts';

const KEYS = ['k0', 'k1', 'k2', 'k,3'] as const;

type Step =
  | { readonly kind: 'create' | 'create-if-none' | 'update-where'; readonly key: string; readonly text: string }
  | { readonly kind: 'update'; readonly which: number; readonly key: string; readonly text: string }
  | { readonly kind: 'delete'; readonly which: number };

type Held = { readonly key: string; readonly text: string; readonly version: number };

const where = (key: string): string => query(['identifier', `${MRN}|${key.replace(',', '\\,')}`]);
const body = (key: string, text: string, id?: string) =>
  anObservation(key, { valueString: text, ...(id === undefined ? {} : { id }) });

/** Does the step on the server and on the model; answers the status that the model promises. */
async function take(ask: Ask, model: Map<string, Held>, step: Step): Promise<[Reply, number]> {
  const matching = (key: string) => [...model].filter(([, held]) => held.key === key);
  const chosen = (which: number) => [...model.keys()].at(which % Math.max(model.size, 1));
  switch (step.kind) {
    case 'create': {
      const reply = await ask('POST', 'Observation', { body: body(step.key, step.text) });
      model.set(idOf(reply), { key: step.key, text: step.text, version: 1 });
      return [reply, 201];
    }
    case 'create-if-none': {
      const found = matching(step.key);
      const reply = await ask('POST', 'Observation', {
        body: body(step.key, step.text),
        headers: { 'if-none-exist': where(step.key) },
      });
      if (found.length === 0) model.set(idOf(reply), { key: step.key, text: step.text, version: 1 });
      return [reply, [201, 200][found.length] ?? 412];
    }
    case 'update-where': {
      const found = matching(step.key);
      const reply = await ask('PUT', `Observation?${where(step.key)}`, { body: body(step.key, step.text) });
      const [one] = found;
      if (one === undefined) model.set(idOf(reply), { key: step.key, text: step.text, version: 1 });
      else if (found.length === 1) model.set(one[0], { key: step.key, text: step.text, version: one[1].version + 1 });
      return [reply, [201, 200][found.length] ?? 412];
    }
    case 'update': {
      const id = chosen(step.which);
      if (id === undefined) return [await ask('GET', 'Observation/nobody'), 404];
      const reply = await ask('PUT', `Observation/${id}`, { body: body(step.key, step.text, id) });
      model.set(id, { key: step.key, text: step.text, version: must(model.get(id)).version + 1 });
      return [reply, 200];
    }
    case 'delete': {
      const id = chosen(step.which);
      if (id === undefined) return [await ask('GET', 'Observation/nobody'), 404];
      model.delete(id);
      return [await ask('DELETE', `Observation/${id}`), 204];
    }
  }
}

const key = fc.constantFrom(...KEYS);
const text = fc.string({ maxLength: 8 });
const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('create' as const, 'create-if-none' as const, 'update-where' as const),
    key,
    text,
  }),
  fc.record({ kind: fc.constant('update' as const), which, key, text }),
  fc.record({ kind: fc.constant('delete' as const), which }),
);

test('after any sequence of writes, searches find what a plain map holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const ehr = await startTestEhr();
      try {
        const ask = askAt(ehr.url);
        const model = new Map<string, Held>();
        for (const one of steps) {
          const [reply, status] = await take(ask, model, one);
          expect([one.kind, reply.status]).toEqual([one.kind, status]);
        }
        const search = async (path: string) => {
          const found = await ask('GET', path);
          const held = entriesOf(found.body).map(({ resource }): [string, Held] => {
            const { id, meta, valueString, identifier } = must(resource);
            const [{ value }] = identifier as [{ value: string }];
            return [must(id), { key: value, text: valueString as string, version: Number(meta?.versionId) }];
          });
          expect(found.body.total).toBe(held.length);
          return new Map(held);
        };
        expect(await search('Observation?_count=100')).toEqual(model);
        for (const one of KEYS) {
          expect(await search(`Observation?_count=100&${where(one)}`)).toEqual(
            new Map([...model].filter(([, held]) => held.key === one)),
          );
        }
      } finally {
        await ehr.stop();
      }
    }),
    { numRuns: 30 },
  );
});
