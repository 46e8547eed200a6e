import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedEhr, type DemoEhr } from '../../index.ts';
import {
  MRN,
  aBundle,
  aPatient,
  aUrn,
  anEntry,
  anObservation,
  askAt,
  entriesOf,
  idsOf,
  startTestEhr,
  writeOf,
} from './support.ts';

let dir: string;
let file: string;
let running: DemoEhr[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'demo-ehr-'));
  file = join(dir, 'ehr.jsonl');
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((ehr) => ehr.stop()));
  await rm(dir, { recursive: true });
});

async function start(at = file): Promise<DemoEhr> {
  const ehr = await startTestEhr(at);
  running.push(ehr);
  return ehr;
}

async function stop(ehr: DemoEhr): Promise<void> {
  running = running.filter((other) => other !== ehr);
  await ehr.stop();
}

const put = (ehr: DemoEhr, id: string, value: string) =>
  askAt(ehr.url)('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });

describe('a server that is started again', () => {
  test('has the same log, versions, histories and search results', async () => {
    const first = await start();
    await put(first, 'a', 'one');
    await put(first, 'a', 'two');
    await put(first, 'gone', 'x');
    await askAt(first.url)('DELETE', 'Patient/gone');
    await askAt(first.url)('PUT', 'Observation/o', {
      body: '{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"valueQuantity":{"value":70.10}}',
    });
    const paths = ['Patient/a', 'Patient/a/_history/1', 'Observation/o', 'Patient/gone', 'Patient/nobody'];
    const told = async (ehr: DemoEhr) =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text } = await askAt(ehr.url)('GET', path);
          return [path, status, text];
        }),
      );
    const before = { writes: first.log.writes(), told: await told(first) };
    await stop(first);

    const second = await start();
    expect({ writes: second.log.writes(), told: await told(second) }).toEqual(before);
    const ask = askAt(second.url);
    const history = entriesOf((await ask('GET', 'Patient/gone/_history')).body);
    expect(history.map((entry) => entry.resource?.meta?.versionId)).toEqual([undefined, '1']);
    expect(idsOf((await ask('GET', `Patient?identifier=${MRN}|two`)).body)).toEqual(['a']);
    expect(idsOf((await ask('GET', `Patient?identifier=${MRN}|one`)).body)).toEqual([]);
    expect((await ask('GET', 'Observation/o')).text).toMatch(/"value"\s*:\s*70\.10[,}]/);
  });

  test('goes on where it was: numbers, versions and ids', async () => {
    const first = await start();
    await put(first, 'a', 'one');
    await askAt(first.url)('POST', 'Patient', { body: aPatient('x') });
    await stop(first);
    const second = await start();
    await put(second, 'a', 'two');
    await askAt(second.url)('POST', 'Patient', { body: aPatient('y') });
    const writes = second.log.writes();
    expect(writes.map((write) => [write.n, write.kind, write.versionId])).toEqual([
      [1, 'create', 1],
      [2, 'create', 1],
      [3, 'update', 2],
      [4, 'create', 1],
    ]);
    expect(new Set(writes.map((write) => write.id)).size).toBe(3);
  });

  test.each(['uuid', 'absent'] as const)(
    'calls its versions what it called them, with versionIds %s',
    async (versionIds) => {
      const first = await start();
      first.board.setTraits({ versionIds });
      for (const value of ['one', 'two']) await put(first, 'a', value);
      const { headers, text } = await askAt(first.url)('GET', 'Patient/a');
      await stop(first);
      const again = await askAt((await start()).url)('GET', 'Patient/a');
      expect([again.headers.get('etag'), again.text]).toEqual([headers.get('etag'), text]);
    },
  );

  test('without a file begins empty', async () => {
    const ehr = await startTestEhr();
    running.push(ehr);
    expect(ehr.log.writes()).toEqual([]);
  });

  test('is not seeded twice', async () => {
    const first = await start();
    seedEhr(first);
    const seeded = first.log.writes();
    expect(seeded.length).toBeGreaterThan(0);
    await stop(first);
    const second = await start();
    seedEhr(second);
    expect(second.log.writes()).toEqual(seeded);
  });
});

describe('a last line that a crash cut short', () => {
  const cutShort = async (missing: number): Promise<DemoEhr> => {
    const first = await start();
    await put(first, 'a', 'one');
    await put(first, 'b', 'two');
    await stop(first);
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, bytes.length - missing));
    return start();
  };

  test.each([2, 10, 60])('by %i bytes costs that write and no other', async (missing) => {
    const second = await cutShort(missing);
    expect(second.log.writes().map(writeOf)).toEqual(['create Patient/a 1']);
    expect((await askAt(second.url)('GET', 'Patient/b')).status).toBe(404);
  });

  // Without its line end alone the last write may count as whole or as lost.
  test.each([1, 2, 60])('by %i bytes does not spoil what is written after it', async (missing) => {
    const second = await cutShort(missing);
    await put(second, 'c', 'three');
    await put(second, 'd', 'four');
    const before = second.log.writes();
    await stop(second);
    expect((await start()).log.writes()).toEqual(before);
  });

  test('keeps all or none of a transaction, wherever it was cut', async () => {
    const first = await start();
    await put(first, 'a', 'one');
    const before = (await readFile(file)).length;
    await askAt(first.url)('POST', '', {
      body: aBundle('transaction', [
        anEntry('POST', 'Patient', { fullUrl: aUrn(1), resource: aPatient('new') }),
        anEntry('POST', 'Observation', {
          fullUrl: aUrn(2),
          resource: anObservation('x', { subject: { reference: aUrn(1) } }),
        }),
        anEntry('PUT', 'Patient/a', { resource: aPatient('two', { id: 'a' }) }),
      ]),
    });
    await stop(first);
    const bytes = await readFile(file);
    const counts = new Set<number>();
    for (let cut = before; cut < bytes.length; cut += 40) {
      const copy = join(dir, `cut-${cut}.jsonl`);
      await writeFile(copy, bytes.subarray(0, cut));
      const again = await start(copy);
      counts.add(again.log.writes().length);
      await stop(again);
    }
    counts.delete(4);
    expect([...counts]).toEqual([1]);
  });
});
