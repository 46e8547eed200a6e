import { describe, expect, test } from '@jest/globals';
import type { Verdict } from '../../../src/ehr/index.ts';
import { decideOutcome } from '../../../src/forward/decide-outcome.ts';
import { nextWrite } from '../../../src/forward/next-write.ts';
import type { WriteEvent, WriteStep } from '../../../src/forward/write-state.ts';
import { fault } from '../../../src/kernel/index.ts';
import {
  anItem,
  answer,
  answered,
  aPlan,
  created,
  found,
  looked,
  READER,
  someFacts,
  standing,
  stepAfter,
  updated,
  weight,
} from '../../support/write-facts.ts';

const FIRST_TRY = { attempts: 0, fewInARow: 0, sinceFirstMs: 0, spread: 0 } as const;

/** What a step has come to, in words. */
function told({ state, act }: WriteStep) {
  const { progress } = state;
  return {
    act: act.kind,
    pending: progress.pending.map(({ name }) => name),
    written: progress.written.map(({ row }) => `${row.name} ${row.effect} ${row.id ?? ''}/${row.versionId ?? ''}`),
    conflicts: progress.conflicts.map(({ name }) => name),
  };
}

const stopOf = ({ state }: WriteStep) => (state.kind === 'ended' ? state.stop : 'not ended');

/** What becomes of the job. */
function outcomeOf(step: WriteStep): string {
  const stop = stopOf(step);
  if (stop === 'not ended') return stop;
  if (stop === null) return 'delivered';
  const outcome = decideOutcome(stop, FIRST_TRY);
  return outcome.kind === 'park' ? `park ${outcome.reason}` : outcome.kind;
}

const sentBy = ({ act }: WriteStep) =>
  act.kind !== 'send'
    ? []
    : act.request.kind === 'single'
      ? [`${act.request.asked.method} ${act.request.asked.path}`]
      : act.request.entries.map(({ asked }) => `${asked.method} ${asked.path}`);

const failed = (verdict: Exclude<Verdict, { kind: 'ok' }>, httpStatus: number | null = null): WriteEvent => ({
  kind: 'failed',
  httpStatus,
  verdict,
});
const CONFLICT = { kind: 'conflict', because: 'version', fault: fault('ehr.conflict') } as const;
const TWO = [anItem('a'), anItem('b')];

describe('a transaction', () => {
  test('that is accepted is the end of it', () => {
    const step = stepAfter(someFacts(TWO), [answered(created('1'), created('2'))]);
    expect(told(step)).toEqual({
      act: 'end',
      pending: [],
      written: ['a created 1/1', 'b created 2/1'],
      conflicts: [],
    });
    expect(outcomeOf(step)).toBe('delivered');
    expect(step.state.progress).toMatchObject({ httpStatus: 200, isLookedUp: true });
  });

  test('holds creates by condition and updates under the version that is known', () => {
    const [first, second] = [anItem('a'), anItem('b', standing)];
    const step = stepAfter(someFacts([first, second]), []);
    expect(sentBy(step)).toEqual(['PUT Observation', 'PUT Observation/5']);
    expect(step.act).toMatchObject({ request: { entries: [{}, { asked: { ifMatch: 'W/"1"' } }] } });
  });

  test.each<[string, Exclude<Verdict, { kind: 'ok' }>, string]>([
    [
      'asks for patience',
      { kind: 'retry-later', afterMs: 9_000, patience: 'long', effect: 'none', fault: fault('ehr.busy') },
      'retry',
    ],
    [
      'failed, and may have been done',
      { kind: 'retry-later', afterMs: null, patience: 'few', effect: 'unknown', fault: fault('ehr.failed') },
      'unknown',
    ],
    ['was not answered', { kind: 'ambiguous', fault: fault('ehr.timeout') }, 'unknown'],
    [
      'was cut off when the lease was lost',
      { kind: 'abandoned', effect: 'unknown', fault: fault('ehr.abandoned') },
      'unknown',
    ],
    [
      'did not go out, since the lease was lost',
      { kind: 'abandoned', effect: 'none', fault: fault('ehr.abandoned') },
      'retry',
    ],
    ['is refused', { kind: 'rejected', fault: fault('ehr.rejected') }, 'park rejected'],
    ['meets several under one name', { kind: 'several', fault: fault('ehr.several') }, 'park ambiguous'],
    ['finds us not allowed in', { kind: 'auth', fault: fault('ehr.unauthorized') }, 'retry'],
    ['goes nowhere', { kind: 'misconfigured', fault: fault('ehr.redirected') }, 'retry'],
  ])('that %s ends the attempt with nothing written: %j becomes %s', (_, verdict, outcome) => {
    for (const items of [TWO, [anItem('a')]]) {
      const step = stepAfter(someFacts(items), [failed(verdict)]);
      expect(told(step)).toMatchObject({ act: 'end', written: [] });
      expect(outcomeOf(step)).toBe(outcome);
    }
  });

  test('whose answer cannot be laid beside it leaves all in doubt', () => {
    const step = stepAfter(someFacts(TWO), [{ kind: 'unreadable', httpStatus: 200, fault: fault('ehr.partial') }]);
    expect(outcomeOf(step)).toBe('unknown');
    expect(told(step).pending).toEqual(['a', 'b']);
  });

  test.each<Exclude<Verdict, { kind: 'ok' }>>([
    { kind: 'too-large', fault: fault('ehr.too-large') },
    CONFLICT,
    { kind: 'absent', fault: fault('ehr.not-found') },
    { kind: 'gone', fault: fault('ehr.gone') },
  ])('that is refused as a whole ($kind) is halved, down to one', (verdict) => {
    const facts = someFacts(['a', 'b', 'c'].map((name) => anItem(name)));
    const halved = stepAfter(facts, [failed(verdict)]);
    expect([halved.act.kind, sentBy(halved)]).toEqual(['send', ['PUT Observation', 'PUT Observation']]);
    expect(sentBy(stepAfter(facts, [failed(verdict), failed(verdict)]))).toEqual(['PUT Observation']);
  });

  test('goes on with what did not fit', () => {
    const facts = someFacts(TWO, { plan: aPlan({ entriesMax: 1 }) });
    const step = stepAfter(facts, [answered(created('1'))]);
    expect(told(step)).toMatchObject({ act: 'send', pending: ['b'], written: ['a created 1/1'] });
  });
});

describe('of entries that failed', () => {
  const rejected = answer({ kind: 'rejected', fault: fault('ehr.rejected') }, { status: 422 });

  test('the gravest ends the attempt, and what was written is told', () => {
    const doubtful = answer({ kind: 'ambiguous', fault: fault('ehr.unreadable') });
    const items = ['a', 'b', 'c'].map((name) => anItem(name));
    const step = stepAfter(someFacts(items), [answered(rejected, created('2'), doubtful)]);
    expect(told(step)).toMatchObject({ act: 'end', written: ['b created 2/1'] });
    expect(outcomeOf(step)).toBe('unknown');
  });

  test('one that is refused parks the document', () => {
    expect(outcomeOf(stepAfter(someFacts(TWO), [answered(created('1'), rejected)]))).toBe('park rejected');
  });

  test('one that somebody removed is left alone, and nothing refers to it', () => {
    const gone = answer({ kind: 'gone', fault: fault('ehr.gone') }, { status: 410 });
    const step = stepAfter(someFacts([anItem('a', standing), anItem('b')]), [answered(gone, created('2'))]);
    expect(told(step)).toMatchObject({ act: 'end', conflicts: ['a'], written: ['b created 2/1'] });
    expect(step.state.progress.leftOut).toEqual(['urn:uuid:a']);
  });

  test('one that we took back ourselves and somebody removed is made anew', () => {
    const gone = answer({ kind: 'gone', fault: fault('ehr.gone') }, { status: 410 });
    const step = stepAfter(someFacts([anItem('a', { ...standing, isRetracted: true })]), [answered(gone)]);
    expect([step.act.kind, sentBy(step)]).toEqual(['send', ['PUT Observation']]);
  });

  test('and what refers to it waits for its new address, and does not keep the one that is gone', () => {
    const gone = answer({ kind: 'gone', fault: fault('ehr.gone') }, { status: 410 });
    const again = anItem('a', { ...standing, isRetracted: true });
    const other = anItem('b', {
      statement: { resource: { ...weight(71), derivedFrom: [{ reference: again.reference }] } },
    });
    const facts = someFacts([again, other], { plan: aPlan({ bundle: 'none', references: 'by-address' }) });
    const remade = stepAfter(facts, [answered(gone)]);
    expect(told(remade)).toMatchObject({ act: 'send', pending: ['a', 'b'] });
    expect(stepAfter(facts, [answered(gone), answered(created('9'))]).act).toMatchObject({
      request: { resource: { derivedFrom: [{ reference: 'Observation/9' }] } },
    });
  });
});

describe('409 and 412 of a resource of ours are read back', () => {
  const facts = someFacts([anItem('a', standing)]);
  const refused = answered(answer(CONFLICT, { status: 412 }));
  const after = (event: WriteEvent) => stepAfter(facts, [refused, event]);

  test('before anything is concluded', () => {
    const step = stepAfter(facts, [refused]);
    expect(step.act).toMatchObject({ kind: 'look', item: { name: 'a', at: { id: '5' } } });
    expect(stepAfter(facts, [failed(CONFLICT, 412)]).act.kind).toBe('look');
  });

  test('and it is done where it says already what is wanted', () => {
    expect(told(after(found(weight(71, { meta: { versionId: '2' } }))))).toMatchObject({
      act: 'end',
      written: ['a none 5/2'],
    });
  });

  test('and it is written again, under the version that was found, where the content is still ours', () => {
    const step = after(found(weight(70, { meta: { versionId: '2' } })));
    expect(step.act).toMatchObject({ kind: 'send', request: { entries: [{ asked: { ifMatch: 'W/"2"' } }] } });
  });

  test('and it is tried later where the version goes on each time', () => {
    const rounds = ['2', '3', '4', '5'].flatMap((versionId) => [refused, found(weight(70, { meta: { versionId } }))]);
    expect(stepAfter(facts, rounds.slice(0, 6)).act.kind).toBe('send');
    expect(outcomeOf(stepAfter(facts, rounds))).toBe('retry');
  });

  test('and it is tried later where nothing had changed: two writes met', () => {
    expect(outcomeOf(after(found(weight(70, { meta: { versionId: '1' } }))))).toBe('retry');
  });

  test('and it is left alone where somebody else wrote it', () => {
    const step = after(found(weight(90, { meta: { versionId: '2' } })));
    expect(told(step)).toMatchObject({ act: 'end', conflicts: ['a'], written: [] });
    expect(step.state.progress.leftOut).toEqual([]);
  });

  test('and it is left alone where somebody removed it', () => {
    const step = after(looked({ kind: 'absent', wasThere: 'yes' }));
    expect(told(step)).toMatchObject({ conflicts: ['a'] });
    expect(step.state.progress.leftOut).toEqual(['urn:uuid:a']);
  });

  test('and a person must look where several carry the name', () => {
    expect(outcomeOf(after(looked({ kind: 'several' })))).toBe('park ambiguous');
  });

  test('and all is in doubt where it cannot be read', () => {
    expect(outcomeOf(after({ kind: 'look-failed', fault: fault('ehr.busy') }))).toBe('unknown');
  });

  test('while two creates that met are tried later', () => {
    const met = answer({ ...CONFLICT, because: 'concurrency' }, { status: 409 });
    expect(outcomeOf(stepAfter(someFacts([anItem('a')]), [answered(met)]))).toBe('retry');
  });
});

describe('a good answer that does not say where it stands', () => {
  const facts = someFacts([anItem('a')]);
  const silent = answered(answer({ kind: 'ok' }, { status: 200 }));

  test('is read back, and done where that finds it', () => {
    expect(stepAfter(facts, [silent]).act.kind).toBe('look');
    const step = stepAfter(facts, [silent, found(weight(71, { meta: { versionId: '1' } }), '8')]);
    expect(told(step)).toMatchObject({ act: 'end', written: ['a updated 8/1'] });
  });

  test('keeps no version that somebody may have written meanwhile', () => {
    const step = stepAfter(facts, [silent, found(weight(90, { meta: { versionId: '2' } }), '8')]);
    expect(told(step).written).toEqual(['a updated 8/']);
  });

  test('is ambiguous where that does not find it', () => {
    expect(outcomeOf(stepAfter(facts, [silent, looked({ kind: 'absent', wasThere: 'unknown' })]))).toBe(
      'park ambiguous',
    );
  });

  test('is in doubt where nobody can look', () => {
    expect(outcomeOf(stepAfter(facts, [silent, { kind: 'look-failed', fault: fault('ehr.timeout') }]))).toBe('unknown');
  });

  test('does not ask for a version where the EHR has none', () => {
    const plan = aPlan({}, { ifMatch: 'none', identity: 'put-by-id' });
    expect(told(stepAfter(someFacts([anItem('a')], { plan }), [silent]))).toMatchObject({ written: ['a updated a/'] });
  });
});

describe('after an attempt of unknown outcome each is looked up first', () => {
  const facts = someFacts([anItem('a')], { doubtAt: 9_000, habits: { ...someFacts([]).habits, search: 0 } });
  const absent = looked({ kind: 'absent', wasThere: 'unknown' });

  test('and what was written is not written again', () => {
    expect(stepAfter(facts, []).act.kind).toBe('look');
    expect(told(stepAfter(facts, [found(weight(71, { meta: { versionId: '1' } }))]))).toMatchObject({
      act: 'end',
      written: ['a none 5/1'],
    });
  });

  test('and what was not is written, once a search can be believed', () => {
    const late = stepAfter(facts, [absent]);
    expect(stopOf(late)).toMatchObject({ verdict: { kind: 'retry-later', afterMs: 4_000 } });
    expect(stepAfter({ ...facts, nowMs: 14_000 }, [absent]).act.kind).toBe('send');
    expect(stepAfter({ ...facts, habits: { ...facts.habits, search: 3 } }, [absent]).act.kind).toBe('send');
  });

  test('and what an attempt meant to write is ours, under whatever version', () => {
    const intended = { ...facts, intentsOf: () => [READER.fingerprintOf(weight(70))] };
    const step = stepAfter(intended, [found(weight(70, { meta: { versionId: '7' } }))]);
    expect(sentBy(step)).toEqual(['PUT Observation/5']);
  });

  test('and what somebody else made of it is left alone, and known from then on', () => {
    const step = stepAfter(facts, [found(weight(90, { meta: { versionId: '2' } }))]);
    expect(told(step)).toMatchObject({ conflicts: ['a'], written: ['a none 5/'] });
  });

  test('and what cannot be looked up waits for a person, who may want it written', () => {
    expect(outcomeOf(stepAfter(facts, [looked({ kind: 'unfindable' })]))).toBe('park ambiguous');
    expect(stepAfter({ ...facts, isApproved: true }, [looked({ kind: 'unfindable' })]).act.kind).toBe('send');
  });

  test('and what the EHR does not say now is asked again later', () => {
    const step = stepAfter(facts, [{ kind: 'look-failed', fault: fault('ehr.busy') }]);
    expect([outcomeOf(step), step.state.progress.isLookedUp]).toEqual(['retry', false]);
  });
});

describe('the patient, who was looked up a while ago', () => {
  const step = (...events: WriteEvent[]) => stepAfter(someFacts(TWO), events, 'to-be-seen');

  test('is read in the first transaction, and in that alone', () => {
    expect(step().act).toMatchObject({ kind: 'send', request: { showsPatient: true } });
    const facts = someFacts(TWO, { plan: aPlan({ entriesMax: 1 }) });
    const seen: WriteEvent = {
      kind: 'answered',
      httpStatus: 200,
      answers: [created('1')],
      isToBeSeen: false,
      patient: 'seen',
    };
    expect(stepAfter(facts, [seen], 'to-be-seen').act).toMatchObject({ request: { showsPatient: false } });
  });

  test('was merged: what was written is looked at, and follows', () => {
    expect(outcomeOf(step({ kind: 'patient-moved', httpStatus: 200 }))).toBe('unknown');
  });

  test('is not there: nothing was done, and it is tried again', () => {
    expect(outcomeOf(step({ kind: 'patient-missing', httpStatus: 404 }))).toBe('retry');
  });

  test('what stands with one who was merged into this one is written over', () => {
    const merged = weight(71, { subject: { reference: 'Patient/9' }, meta: { versionId: '1' } });
    const facts = someFacts([anItem('a', { ...standing, knownFingerprint: READER.fingerprintOf(weight(71)) })], {
      doubtAt: 1,
      patient: { urn: 'urn:uuid:patient', reference: 'Patient/1', via: ['Patient/9'] },
    });
    expect(sentBy(stepAfter(facts, [found(merged)]))).toEqual(['PUT Observation/5']);
  });
});

describe('a chart that is no longer the right one', () => {
  const facts = someFacts(TWO, { mode: 'look-only', doubtAt: 1, nowMs: 1_000_000 });

  test('is looked at, and nothing is written to it', () => {
    const step = stepAfter(facts, [
      found(weight(90, { meta: { versionId: '4' } })),
      looked({ kind: 'absent', wasThere: 'unknown' }),
    ]);
    expect(told(step)).toEqual({ act: 'end', pending: ['b'], written: ['a none 5/4'], conflicts: [] });
    expect([stopOf(step), step.state.progress.isLookedUp]).toEqual([null, true]);
  });
});

describe('what a person keeps', () => {
  const facts = someFacts([anItem('a', { ...standing, isKept: true })]);

  test('is looked at, and left alone where the sides differ', () => {
    expect(stepAfter(facts, []).act.kind).toBe('look');
    expect(told(stepAfter(facts, [found(weight(70, { meta: { versionId: '1' } }))]))).toMatchObject({
      act: 'end',
      conflicts: ['a'],
    });
  });

  test('asks nobody where both say the same', () => {
    expect(told(stepAfter(facts, [found(weight(71, { meta: { versionId: '1' } }))]))).toMatchObject({
      conflicts: [],
      written: ['a none 5/1'],
    });
  });
});

describe('an EHR that does not take everything', () => {
  test('is given what it takes', () => {
    const facts = someFacts([anItem('a', { resourceType: 'Device' }), anItem('b')]);
    expect(told(stepAfter(facts, []))).toMatchObject({ act: 'send', pending: ['b'] });
  });

  test('is given nothing where nothing is left', () => {
    expect(outcomeOf(stepAfter(someFacts([anItem('a', { resourceType: 'Device' })]), []))).toBe('park rejected');
  });

  test('is not asked to change what it cannot', () => {
    const plan = aPlan({}, { change: 'none' });
    expect(outcomeOf(stepAfter(someFacts([anItem('a', standing)], { plan }), []))).toBe('park rejected');
  });
});

describe('without transactions', () => {
  const member = anItem('b', {
    resourceType: 'DiagnosticReport',
    statement: { resource: { resourceType: 'DiagnosticReport', result: [{ reference: 'urn:uuid:a' }] } },
  });
  const plan = aPlan({ bundle: 'none', references: 'by-address' }, { identity: 'search-then-write', ifMatch: 'none' });
  const absent = looked({ kind: 'absent', wasThere: 'unknown' });

  test('what is referred to goes first, and is referred to by its address', () => {
    const facts = someFacts([member, anItem('a')], { plan });
    const first = stepAfter(facts, [absent, absent]);
    expect(sentBy(first)).toEqual(['POST Observation']);
    const second = stepAfter(facts, [absent, absent, answered(created('1'))]);
    expect(sentBy(second)).toEqual(['POST DiagnosticReport']);
    expect(second.act).toMatchObject({ request: { resource: { result: [{ reference: 'Observation/1' }] } } });
  });

  test('two that refer to each other cannot be written', () => {
    const other = anItem('a', {
      statement: { resource: { ...weight(71), derivedFrom: [{ reference: 'urn:uuid:b' }] } },
    });
    expect(outcomeOf(stepAfter(someFacts([member, other], { plan }), [absent, absent]))).toBe('park rejected');
  });
});

describe('what the EHR makes of a create', () => {
  const shown: WriteEvent = {
    kind: 'answered',
    httpStatus: 200,
    answers: [created('1'), created('2')],
    isToBeSeen: true,
    patient: 'not-asked-for',
  };

  test('is learnt from one of each type, before the next entry is settled', () => {
    const step = stepAfter(someFacts(TWO), [shown]);
    expect(step.act).toMatchObject({ kind: 'learn', item: { name: 'a' }, shown: null, isLookWanted: true });
    expect(told(stepAfter(someFacts(TWO), [shown, { kind: 'learnt' }]))).toMatchObject({
      act: 'end',
      written: ['a created 1/1', 'b created 2/1'],
    });
  });

  test('is learnt from what it shows', () => {
    const showing = { ...created('1'), resource: { ...weight(71), id: '1' } };
    expect(stepAfter(someFacts([anItem('a')]), [answered(showing)]).act).toMatchObject({
      kind: 'learn',
      shown: { id: '1' },
    });
  });

  test('and whether a search finds it', () => {
    const facts = someFacts([anItem('a')], { habits: { ...someFacts([]).habits, search: 0 } });
    expect(stepAfter(facts, [answered(created('1'))]).act).toMatchObject({ kind: 'learn', isLookWanted: false });
  });
});

describe('the machine', () => {
  const facts = someFacts([anItem('a', standing)]);

  test('takes no event that its act cannot bring', () => {
    const writing = stepAfter(facts, []);
    expect(() => nextWrite(writing.state, { kind: 'learnt' }, facts)).toThrow('learnt came while writing');
    const done = stepAfter(facts, [answered(updated('2'))]);
    expect(() => nextWrite(done.state, { kind: 'learnt' }, facts)).toThrow('learnt came while ended');
  });

  test('is pure: the same state and event lead to the same step, and no state is changed', () => {
    const state = stepAfter(facts, []).state;
    const before = structuredClone(state.progress);
    const event = answered(answer(CONFLICT));
    expect(nextWrite(state, event, facts)).toEqual(nextWrite(state, event, facts));
    expect(state.progress).toEqual(before);
  });
});
