import { describe, expect, test } from '@jest/globals';
import { aUrn, freshEhr, must } from './support.ts';

const server = freshEhr();
const { ask } = server;

const DECIMALS = [
  '70.10',
  '1e-3',
  '1.0',
  '12345678901234567890.5',
  '0.10000000000000000000000001',
  '-0.50',
  '1E+2',
  '100',
  '0.0',
];

const withValue = (decimal: string): string =>
  `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p"},` +
  `"valueQuantity":{"value":${decimal},"unit":"kg"},"referenceRange":[{"low":{"value":${decimal}}}],"note":[{"text":"${decimal}"}]}`;

/** The literals behind every "value" in the text, as they were written. */
const literals = (text: string): string[] =>
  [...text.matchAll(/"value"\s*:\s*(-?[0-9][^,}\s]*)/g)].map((found) => must(found[1]));

// https://hl7.org/fhir/R4/json.html#decimal: the precision of a decimal is significant and is kept.
describe.each(DECIMALS)('the decimal %s keeps its digits', (decimal) => {
  test.each([
    ['a read', 'GET', 'Observation/o', 2],
    ['a vread', 'GET', 'Observation/o/_history/1', 2],
    ['a history', 'GET', 'Observation/o/_history', 2],
    ['a search', 'GET', 'Observation?_id=o', 2],
    ['a search for some elements', 'GET', 'Observation?_id=o&_elements=referenceRange', 1],
    ['a search that includes it', 'GET', 'DiagnosticReport?_include=DiagnosticReport:result', 2],
    ['a search that reverse includes it', 'GET', 'Patient?_revinclude=Observation:patient', 2],
  ])('in %s', async (_what, method, path, count) => {
    await ask('PUT', 'Patient/p', { body: { resourceType: 'Patient', id: 'p' } });
    const report = {
      resourceType: 'DiagnosticReport',
      id: 'd',
      status: 'final',
      code: { text: 'x' },
      result: [{ reference: 'Observation/o' }],
    };
    await ask('PUT', 'DiagnosticReport/d', { body: report });
    await ask('PUT', 'Observation/o', { body: withValue(decimal) });
    const { text } = await ask(method, path);
    expect(literals(text)).toEqual(Array.from({ length: count }, () => decimal));
  });

  test('in the answers to writes and in the log of writes', async () => {
    const created = await ask('POST', 'Observation', { body: withValue(decimal) });
    const updated = await ask('PUT', 'Observation/o', { body: withValue(decimal) });
    const logged = server
      .ehr()
      .log.writes()
      .map((write) => literals(must(write.json)));
    expect([literals(created.text), literals(updated.text), ...logged]).toEqual(
      Array.from({ length: 4 }, () => [decimal, decimal]),
    );
  });

  test('through a transaction that rewrites references', async () => {
    const observation = withValue(decimal).replace('Patient/p', aUrn(1)).replace('"id":"o",', '');
    const body = `{"resourceType":"Bundle","type":"transaction","entry":[
      {"fullUrl":"${aUrn(1)}","resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}},
      {"fullUrl":"${aUrn(2)}","resource":${observation},"request":{"method":"POST","url":"Observation"}}]}`;
    expect((await ask('POST', '', { body })).status).toBe(200);
    expect(literals((await ask('GET', 'Observation')).text)).toEqual([decimal, decimal]);
  });
});

test('text that looks like a number stays text', async () => {
  await ask('PUT', 'Observation/o', { body: withValue('1.50') });
  expect((await ask('GET', 'Observation/o')).body['note']).toEqual([{ text: '1.50' }]);
});
