import { expect, test } from '@jest/globals';
import type { Grant } from '../../src/auth/index.ts';
import { ok, silentLog } from '../../src/kernel/index.ts';
import { makePermitEvents } from '../../src/subscriptions/permit-events.ts';
import { testClock } from '../support/clock.ts';
import { aGrant, aSubscriptionBy } from '../support/subscriptions/a-grant.ts';

/* A token that is launched for one patient, and a subscription that was made while launched for another. */

const ADA = 'aa'.repeat(16);
const EVENT = {
  number: 1,
  atMs: 0,
  patient: ADA,
  item: { kind: 'measurement', act: 'written', type: 'Observation', id: 'of-ada', labels: [] },
} as const;
const PATIENT_SCOPES = 'user/Subscription.cruds patient/Observation.rs';

type Deps = Parameters<typeof makePermitEvents>[0];
const permit = makePermitEvents({
  tenant: 'default',
  kit: { reach: 'linked', isOffered: () => true } as unknown as Deps['kit'],
  subscriptions: { read: () => Promise.resolve(ok([ADA])) } as unknown as Deps['subscriptions'],
  findPatient: () => Promise.resolve(ok(null)),
  clock: testClock(),
});
const kindsFor = async (caller: Grant, maker: Grant) => {
  const told = await permit({
    subscription: aSubscriptionBy(maker, [ADA]),
    events: [EVENT],
    content: 'id-only',
    grant: caller,
    requestId: 'req_1' as Parameters<typeof permit>[0]['requestId'],
    log: silentLog,
  });
  return told.ok ? told.value.map((one) => one.focus.kind) : told.fault.code;
};

test('a token launched for another patient is not told of the patient of the subscription', async () => {
  const maker = aGrant(PATIENT_SCOPES, 'ada');
  expect(await kindsFor(maker, maker)).toEqual(['named']);
  expect(await kindsFor(aGrant(PATIENT_SCOPES, 'bob'), maker)).toEqual(['empty']);
  expect(await kindsFor(aGrant(PATIENT_SCOPES, null), maker)).toEqual(['empty']);
});

test('what a scope for all patients reaches does not depend on the context', async () => {
  const scopes = 'user/Subscription.cruds user/Observation.rs';
  expect(await kindsFor(aGrant(scopes, 'bob'), aGrant(scopes, 'ada'))).toEqual(['named']);
});
