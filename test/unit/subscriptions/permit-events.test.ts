import { expect, test } from '@jest/globals';
import { fail, fault, ok, silentLog } from '../../../src/kernel/index.ts';
import { makePermitEvents } from '../../../src/subscriptions/permit-events.ts';
import { testClock } from '../../support/clock.ts';
import { aGrant, aSubscriptionBy } from '../../support/subscriptions/a-grant.ts';

const ADA = 'aa'.repeat(16);
const grant = aGrant('system/Subscription.cruds system/Patient.rs');
type Deps = Parameters<typeof makePermitEvents>[0];
type Asked = Parameters<ReturnType<typeof makePermitEvents>>[0];

/** Events of patients with these MRNs. The EHR does not answer for `bad`, is `away`, and takes 15 seconds for `slow`. */
async function permit(mrns: readonly string[], isFirstLeft = false) {
  const clock = testClock();
  const ask = makePermitEvents({
    tenant: 'default',
    kit: { reach: 'linked', isOffered: () => true } as unknown as Deps['kit'],
    subscriptions: { read: () => Promise.resolve(ok([ADA])) } as unknown as Deps['subscriptions'],
    findPatient(mrn) {
      if (mrn === 'slow') clock.advance(15_000);
      if (mrn === 'away') return Promise.resolve(fail(fault('ehr.unreachable')));
      return Promise.resolve(mrn === 'bad' ? fail(fault('ehr.timeout')) : ok(mrn));
    },
    clock,
  });
  const told = await ask({
    subscription: aSubscriptionBy(grant),
    events: mrns.map((mrn, i) => ({
      number: i + 1,
      atMs: 0,
      patient: ADA,
      item: { kind: 'patient-connection', act: 'connected', mrnSystem: 'urn:mrn', mrn },
    })),
    content: 'id-only',
    grant,
    requestId: 'req_1' as Asked['requestId'],
    log: silentLog,
    isFirstLeft,
  });
  return told.ok ? told.value.map((one) => `${one.number} ${one.focus.kind}`) : told.fault.code;
}

test('what comes before an event that cannot be read is told', async () => {
  expect(await permit(['1', '2', 'bad', '4'])).toEqual(['1 named', '2 named']);
});
test('an event that cannot be read waits, and after enough tries leaves its number alone', async () => {
  expect(await permit(['bad', '2'])).toBe('ehr.timeout');
  expect(await permit(['bad', '2', 'bad'], true)).toEqual(['1 empty', '2 named']);
});
test('an EHR that is away empties nothing, however long', async () => {
  expect(await permit(['away', '2'], true)).toBe('ehr.unreachable');
});
test('reading ends after its time, and what was read until then is told', async () => {
  expect(await permit(['slow', 'slow', '3', '4'])).toEqual(['1 named', '2 named']);
});
