import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startEhr, type DemoEhr } from '../../../sandbox/index.ts';
import { makeCuttingFront, type CuttingFront } from '../../real-ehr/cutting-front.ts';
import { openDirect, type Direct, type ForeignEhr } from '../../support/foreign-ehr.ts';
import { CA_FILE, makeTlsFront, type TlsFront } from '../../support/tls-front.ts';

describe.each(['http', 'https'])('in front of an EHR over %s', (scheme) => {
  let ehr: DemoEhr;
  let tls: TlsFront | null = null;
  let front: CuttingFront;
  let through: Direct;
  beforeAll(async () => {
    ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
    let behind: ForeignEhr = { url: ehr.url, settings: {} };
    if (scheme === 'https') {
      tls = await makeTlsFront(ehr.port);
      behind = { url: `${tls.origin}${new URL(ehr.url).pathname}`, settings: { CHARTGATE_EHR_TLS_CA_FILE: CA_FILE } };
    }
    front = await makeCuttingFront(behind);
    through = openDirect({ url: front.url, settings: front.settings });
  });
  afterAll(async () => {
    await through.close();
    await front.close();
    await tls?.stop();
    await ehr.stop();
  });
  const isWrite = ({ method }: { readonly method: string }): boolean => method === 'POST';
  const aPatient = (family: string) => ({ resourceType: 'Patient', name: [{ family }] });
  const named = async (family: string): Promise<number> =>
    (await through.search('Patient', [['family', family]])).length;

  test('everything passes', async () => {
    for (let i = 0; i < 3; i += 1) await through.create(aPatient('Passing'));
    expect(await named('Passing')).toBe(3);
  });

  // Behind TLS that it does not know of, the demo EHR names itself by another address.
  if (scheme === 'http')
    test('each side sees its own address', async () => {
      const pages = await through.pages('Patient', [
        ['family', 'Passing'],
        ['_count', '1'],
      ]);
      expect([pages.length, pages.every((page) => page.includes(front.url) && !page.includes(ehr.url))]).toEqual([
        3,
        true,
      ]);
    });

  test('what is cut before never reaches the EHR', async () => {
    const cut = front.cutNext({ matches: isWrite, cut: 'before' });
    await expect(through.create(aPatient('Before'))).rejects.toThrow();
    expect((await cut).body).toContain('Before');
    expect(await named('Before')).toBe(0);
  });

  test('what is cut after was carried out, and whatever happens meanwhile is done before the sender knows', async () => {
    let seen = 0;
    const cut = front.cutNext({ matches: isWrite, cut: 'after', meanwhile: async () => (seen = await named('After')) });
    await expect(through.create(aPatient('After'))).rejects.toThrow();
    await cut;
    expect([seen, await named('After')]).toEqual([1, 1]);
  });

  test('a rule is for one request', async () => {
    await through.create(aPatient('Again'));
    expect(await named('Again')).toBe(1);
  });
});
