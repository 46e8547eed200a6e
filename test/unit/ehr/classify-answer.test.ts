import { describe, expect, test } from '@jest/globals';
import { classifyAnswer, classifyExchange, type Asked, type Verdict } from '../../../src/ehr/classify-answer.ts';
import { SILENCES, type AnswerHeaders, type Unanswered } from '../../../src/ehr/exchange.ts';

const NOW = new Date('2026-01-02T03:04:05.000Z');
const READ: Asked = { method: 'GET', path: 'Patient/1' };
const SEARCH: Asked = { method: 'POST', path: 'Patient/_search' };
const CREATE: Asked = { method: 'POST', path: 'Observation' };
const UPDATE: Asked = { method: 'PUT', path: 'Observation/1' };
const UPDATE_IF: Asked = { ...UPDATE, ifMatch: 'W/"1"' };
const CONDITIONAL: Asked = { method: 'PUT', path: 'Observation', query: [['identifier', 'a|b']] };
const CREATE_IF: Asked = { ...CREATE, ifNoneExist: 'identifier=a%7Cb' };
const BUNDLE: Asked = { method: 'POST', path: '' };

const verdictOf = (
  status: number,
  request: Asked,
  more: { headers?: AnswerHeaders; outcome?: readonly string[]; body?: 'empty' | 'json' | 'unreadable' } = {},
): Verdict =>
  classifyAnswer(
    { status, request, headers: more.headers ?? {}, outcome: more.outcome ?? [], body: more.body ?? 'json' },
    NOW,
  );

/** Kind, fault code, and what tells the kinds apart. */
function short(verdict: Verdict): string {
  if (verdict.kind === 'ok') return 'ok';
  const more =
    verdict.kind === 'retry-later'
      ? ` ${verdict.patience} ${verdict.effect}`
      : verdict.kind === 'conflict'
        ? ` ${verdict.because}`
        : '';
  return `${verdict.kind}${more}: ${verdict.fault.code}`;
}

describe('a success', () => {
  test.each<[string, number, Asked, 'empty' | 'json' | 'unreadable', string]>([
    ['a read with its resource', 200, READ, 'json', 'ok'],
    ['a search with its Bundle', 200, SEARCH, 'json', 'ok'],
    ['a create with a body', 201, CREATE, 'json', 'ok'],
    ['a create without one, as Oracle Health answers', 201, CREATE, 'empty', 'ok'],
    ['an update without one', 200, UPDATE, 'empty', 'ok'],
    ['a delete', 204, { method: 'DELETE', path: 'Observation/1' }, 'empty', 'ok'],
    ['a Bundle with its answer', 200, BUNDLE, 'json', 'ok'],
    ['a Bundle with no answer', 200, BUNDLE, 'empty', 'ambiguous: ehr.unreadable'],
    ['a read with nothing', 200, READ, 'empty', 'retry-later few none: ehr.unreadable'],
    ['a read of which the answer is no JSON', 200, READ, 'unreadable', 'retry-later few none: ehr.unreadable'],
    ['a write of which the answer is no JSON', 200, CREATE, 'unreadable', 'ambiguous: ehr.unreadable'],
    ['a write that is only accepted', 202, CREATE, 'empty', 'ambiguous: ehr.unreadable'],
    ['a read in parts', 206, READ, 'json', 'retry-later few none: ehr.unreadable'],
  ])('%s (%d)', (_what, status, request, body, expected) => {
    expect(short(verdictOf(status, request, { body }))).toBe(expected);
  });

  test('a conditional read that finds nothing new is one', () => {
    expect(short(verdictOf(304, { ...READ, ifNoneMatch: 'W/"1"' }, { body: 'empty' }))).toBe('ok');
    expect(short(verdictOf(304, READ, { body: 'empty' }))).toBe('misconfigured: ehr.redirected');
  });
});

describe('every status of conformance.md 4.4, as reliability.md 4.1 and 4.6 amend it', () => {
  test.each<[number, string, string]>([
    [408, 'retry-later long unknown: ehr.busy', 'retry-later long none: ehr.busy'],
    [425, 'retry-later long none: ehr.busy', 'retry-later long none: ehr.busy'],
    [429, 'retry-later long none: ehr.busy', 'retry-later long none: ehr.busy'],
    [502, 'retry-later long unknown: ehr.busy', 'retry-later long none: ehr.busy'],
    [503, 'retry-later long none: ehr.busy', 'retry-later long none: ehr.busy'],
    [504, 'retry-later long unknown: ehr.busy', 'retry-later long none: ehr.busy'],
    [500, 'retry-later few unknown: ehr.failed', 'retry-later few none: ehr.failed'],
    [507, 'retry-later few unknown: ehr.failed', 'retry-later few none: ehr.failed'],
    [599, 'retry-later few unknown: ehr.failed', 'retry-later few none: ehr.failed'],
    [401, 'auth: ehr.unauthorized', 'auth: ehr.unauthorized'],
    [403, 'rejected: ehr.forbidden', 'rejected: ehr.forbidden'],
    [400, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [405, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [406, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [415, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [422, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [501, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [418, 'rejected: ehr.rejected', 'rejected: ehr.rejected'],
    [404, 'absent: ehr.not-found', 'absent: ehr.not-found'],
    [410, 'gone: ehr.gone', 'gone: ehr.gone'],
    [413, 'too-large: ehr.too-large', 'too-large: ehr.too-large'],
    [407, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [421, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [301, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [302, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [303, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [307, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [308, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
    [999, 'misconfigured: ehr.redirected', 'misconfigured: ehr.redirected'],
  ])('%d: a write is %s, a read is %s', (status, write, read) => {
    for (const request of [CREATE, UPDATE, BUNDLE]) expect(short(verdictOf(status, request))).toBe(write);
    for (const request of [READ, SEARCH]) expect(short(verdictOf(status, request))).toBe(read);
  });

  test('403 for the metadata pauses the target: it concerns all of it', () => {
    expect(short(verdictOf(403, { method: 'GET', path: 'metadata' }))).toBe('auth: ehr.unauthorized');
  });

  test.each<[string, number, Asked, readonly string[], string]>([
    ['409 with If-Match is a stale version', 409, UPDATE_IF, [], 'conflict version: ehr.conflict'],
    ['409 without is two writes at once', 409, CREATE_IF, [], 'conflict concurrency: ehr.conflict'],
    ['412 with If-Match is a stale version', 412, UPDATE_IF, [], 'conflict version: ehr.conflict'],
    ['412 where If-Match was wanted', 412, UPDATE, [], 'conflict version: ehr.conflict'],
    ['412 of If-None-Match: *', 412, { ...UPDATE, ifNoneMatch: '*' }, [], 'conflict version: ehr.conflict'],
    [
      '412 of a conditional update with If-Match is a stale version',
      412,
      { ...CONDITIONAL, ifMatch: 'W/"1"' },
      [],
      'conflict version: ehr.conflict',
    ],
    ['412 of a conditional update is several', 412, CONDITIONAL, [], 'several: ehr.several'],
    ['412 of a conditional create is several', 412, CREATE_IF, [], 'several: ehr.several'],
    ['412 of a Bundle that says so is several', 412, BUNDLE, ['multiple-matches'], 'several: ehr.several'],
    ['412 of a Bundle that does not is looked at again', 412, BUNDLE, [], 'conflict version: ehr.conflict'],
    ['Medplum says several by 400', 400, CONDITIONAL, ['multiple-matches'], 'several: ehr.several'],
    ['which means nothing for a read', 400, READ, ['multiple-matches'], 'rejected: ehr.rejected'],
    ['HAPI finds a Bundle too costly', 400, BUNDLE, ['too-costly'], 'too-large: ehr.too-large'],
    ['which means nothing for one resource', 422, CREATE, ['too-costly'], 'rejected: ehr.rejected'],
  ])('%s', (_what, status, request, outcome, expected) => {
    expect(short(verdictOf(status, request, { outcome }))).toBe(expected);
  });
});

test.each([408, 425, 429, 502, 503, 504, 500])('%d keeps the Retry-After, at most six hours of it', (status) => {
  const after = (retryAfter: string): unknown => verdictOf(status, CREATE, { headers: { retryAfter } });
  expect(after('120')).toMatchObject({ kind: 'retry-later', afterMs: 120_000 });
  expect(after('99999999999999')).toMatchObject({ afterMs: 6 * 3_600_000 });
  expect(after('Fri, 02 Jan 2026 03:05:05 GMT')).toMatchObject({ afterMs: 60_000 });
  expect(after('soon')).toMatchObject({ afterMs: null });
});

describe('without an answer', () => {
  const silence = (because: Unanswered['because'], sent: Unanswered['sent'], request: Asked): string =>
    short(classifyExchange({ kind: 'unanswered', because, sent }, request, NOW)).replace(' long none', '');

  test.each<[Unanswered['because'], string]>([
    ['dns', 'retry-later: ehr.unreachable'],
    ['refused', 'retry-later: ehr.unreachable'],
    ['connect-timeout', 'retry-later: ehr.unreachable'],
    ['tls', 'retry-later: ehr.tls'],
    ['reset', 'retry-later: ehr.unreachable'],
    ['timeout', 'retry-later: ehr.timeout'],
    ['abandoned', 'abandoned: ehr.abandoned'],
    ['closed', 'abandoned: ehr.abandoned'],
  ])('%s before a byte was sent is safe to repeat: %s', (because, expected) => {
    for (const request of [CREATE, UPDATE, BUNDLE, READ]) expect(silence(because, 'nothing', request)).toBe(expected);
  });

  test.each<[Unanswered['because'], string, string]>([
    ['timeout', 'ambiguous: ehr.timeout', 'retry-later: ehr.timeout'],
    ['reset', 'ambiguous: ehr.cut', 'retry-later: ehr.cut'],
    ['tls', 'ambiguous: ehr.tls', 'retry-later: ehr.tls'],
    ['not-http', 'ambiguous: ehr.unreadable', 'retry-later: ehr.unreadable'],
    ['too-large', 'ambiguous: ehr.answer-too-large', 'rejected: ehr.answer-too-large'],
    ['abandoned', 'abandoned: ehr.abandoned', 'abandoned: ehr.abandoned'],
  ])('%s after it leaves a write in doubt: %s', (because, write, read) => {
    for (const request of [CREATE, UPDATE, BUNDLE]) expect(silence(because, 'something', request)).toBe(write);
    for (const request of [READ, SEARCH]) expect(silence(because, 'something', request)).toBe(read);
  });

  test('a write that was under way when its caller gave up says so', () => {
    const verdict = (sent: Unanswered['sent'], request: Asked): unknown =>
      classifyExchange({ kind: 'unanswered', because: 'abandoned', sent }, request, NOW);
    expect(verdict('something', CREATE)).toMatchObject({ effect: 'unknown' });
    expect(verdict('nothing', CREATE)).toMatchObject({ effect: 'none' });
    expect(verdict('something', READ)).toMatchObject({ effect: 'none' });
  });

  test('no write of which a byte was sent is ever called safe to repeat', () => {
    for (const because of SILENCES) expect(silence(because, 'something', CREATE)).toMatch(/^(ambiguous|abandoned)/);
  });
});

test.each([100, 300, 600, 999])(
  'a status of %d, which is neither success nor failure, is of no FHIR server',
  (status) => {
    for (const request of [READ, CREATE])
      expect(short(verdictOf(status, request))).toBe('misconfigured: ehr.redirected');
  },
);

test('why a request was not answered goes along with its fault, for the log', () => {
  const verdict = (more: object) =>
    classifyExchange({ kind: 'unanswered', because: 'tls', sent: 'nothing', ...more }, READ, NOW);
  const cause = new Error('certificate');
  expect(verdict({ cause })).toMatchObject({ fault: { cause } });
  expect(verdict({})).not.toHaveProperty('fault.cause');
});

test.each([
  ['error', 'ambiguous: ehr.unreadable', 'retry-later few none: ehr.unreadable'],
  ['fatal', 'ambiguous: ehr.unreadable', 'retry-later few none: ehr.unreadable'],
  ['warning', 'ok', 'ok'],
  ['information', 'ok', 'ok'],
])('a 200 with an OperationOutcome of severity %s', (severity, write, read) => {
  const body = { kind: 'json' as const, value: { resourceType: 'OperationOutcome', issue: [null, { severity }] } };
  const answered = { kind: 'answered' as const, status: 200, headers: {}, body, bytes: new Uint8Array() };
  expect(short(classifyExchange(answered, UPDATE, NOW))).toBe(write);
  expect(short(classifyExchange(answered, READ, NOW))).toBe(read);
});

test('of an OperationOutcome only the codes of the standard are read', () => {
  const body = {
    kind: 'json' as const,
    value: {
      resourceType: 'OperationOutcome',
      issue: [{ code: 'multiple-matches', diagnostics: 'MARKER' }, { code: 'MARKER' }, null, { code: 7 }],
    },
  };
  const verdict = classifyExchange(
    { kind: 'answered', status: 412, headers: {}, body, bytes: new Uint8Array() },
    BUNDLE,
    NOW,
  );
  expect(verdict.kind).toBe('several');
  expect(JSON.stringify(verdict)).not.toContain('MARKER');
});
