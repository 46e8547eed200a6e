import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { DEMO_ADD_ONS, startService, type DemoService } from '../../sandbox/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { aPatient } from '../../test/flow/delivery/rig.ts';
import { postgresPlace, sqlitePlace, type Place } from '../../test/support/new-store.ts';
import { aClinicalReady, aLabResult, CLIENT } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { checkAccess, startConsole, visit, type Visit } from './open-console.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(180_000);

const HOOK = 'notification-'.repeat(3);
const EVERYTHING = ['engineer', 'registrar', 'auditor'];

/** A gateway with its demo EHR and the health data service. */
async function startStand(makePlace: () => Promise<Place>) {
  const service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
  const { secretKey, password, lab } = service.putClient({ uuid: CLIENT, name: 'First Clinic', addOns: DEMO_ADD_ONS });
  const stand = await startConsole(makePlace, {
    CHARTGATE_NOTIFICATION_SECRET: HOOK,
    CHARTGATE_SOURCE_URL: service.url,
    CHARTGATE_SOURCE_LAB_URL: service.labUrl,
    CHARTGATE_SOURCE_SECRET_KEY: secretKey,
    CHARTGATE_SOURCE_PASSWORD: password,
    CHARTGATE_SOURCE_LAB_TOKEN: lab.token,
    CHARTGATE_ENVIRONMENT: 'sandbox',
  });
  service.putClient({ uuid: CLIENT, notificationWebhook: stand.rig.url(`/webhooks/${HOOK}/notifications`) });
  return { ...stand, service };
}
type Stand = Awaited<ReturnType<typeof startStand>> & { readonly service: DemoService };

/** No MRN and no user stands where it would be kept. */
async function expectNobodyNamed(page: Page, ...names: readonly string[]): Promise<void> {
  const copied = await page.$$eval('button[title^="curl "], button[title^="chartgate "]', (all) =>
    all.map((one) => one.getAttribute('title') ?? ''),
  );
  const links = await page.$$eval('a[href]', (all) => all.map((one) => one.getAttribute('href') ?? ''));
  const kept = [page.url(), await page.title(), ...copied, ...links].join('\n');
  for (const name of names) expect(kept).not.toContain(name);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
}

async function linkUser({ page }: Visit, user: string, mrn: string): Promise<void> {
  await page.fill('form[aria-label="Link a user"] input[name=user]', user);
  await page.fill('form[aria-label="Link a user"] input[name=mrn]', mrn);
  await page.click('text=Look up …');
}

/** Somebody waits for a link, is linked after a look at the EHR, moved to another patient, and unlinked. */
async function walkLinks({ rig }: Stand, seen: Visit): Promise<void> {
  const { page, go } = seen;
  rig.ehr.put(aPatient('pat-one', 'MRN-one', { name: [{ given: ['Anna'], family: 'One' }], birthDate: '1950-02-03' }));
  rig.ehr.put(aPatient('pat-two', 'MRN-two', { name: [{ given: ['Berta'], family: 'Two' }] }));
  const { id } = await rig.deliver(aClinicalReady({ userId: 'user-moves', observations: 2 }));
  await go('/links');
  await linkUser(seen, 'user-moves', 'MRN-nobody');
  await page.waitForSelector('text=The EHR has nobody with this MRN');
  expect(await page.isDisabled('text=Yes, link')).toBe(true);
  await page.click('dialog >> text=Cancel');
  await linkUser(seen, 'user-moves', 'MRN-one');
  await page.waitForSelector('dialog >> text=Anna One');
  await page.waitForSelector('text=Born 1950-02-03');
  await checkAccess(page);
  await page.click('text=Yes, link');
  await page.waitForSelector('text=1 delivery goes on');
  expect(await page.getAttribute('dialog >> text=Its record in the audit', 'href')).toMatch(/patient=%7Em\./);
  await page.click('dialog >> text=Close');
  expect((await rig.resting(id)).state).toBe('delivered');

  await page.fill('form[aria-label=Filters] input[name=user]', 'user-moves');
  await page.click('form[aria-label=Filters] >> text=Find');
  await page.waitForSelector('text=linked to');
  expect(page.url()).toMatch(/user=%7Eu\./);
  await expectNobodyNamed(page, 'user-moves', 'MRN-one');
  await page.fill('form[aria-label="Link to another patient"] input[name=mrn]', 'MRN-two');
  await page.click('text=Look up …');
  await page.waitForSelector('dialog >> text=Berta Two');
  await page.waitForSelector('text=2 resources stand in the chart because of this user.');
  await checkAccess(page);
  await page.click('text=Yes, link');
  await page.waitForSelector('text=The link was changed.');
  await page.click('dialog >> text=Close');
  await page.waitForSelector('.timeline >> text=MRN-two');

  await page.click('text=Unlink …');
  await page.waitForSelector('dialog >> text=is withdrawn');
  await checkAccess(page);
  await page.check('input[value=retract]');
  await page.fill('dialog input[name=reason]', 'Wrong wristband');
  await page.click('dialog button.danger');
  await page.waitForSelector('text=The link is revoked.');
  await page.click('dialog >> text=Close');
  await page.waitForSelector('text=Linked to nobody now');
  await expectNobodyNamed(page, 'user-moves', 'MRN-one', 'MRN-two');
}

describeInBrowser('the screens of patients', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe('on sqlite', () => {
    let stand: Stand;
    let ada: Visit;
    let bea: Visit;
    beforeAll(async () => {
      stand = await startStand(sqlitePlace);
      ada = await visit(browser, stand, 'ada', EVERYTHING);
      bea = await visit(browser, stand, 'bea', EVERYTHING, { colorScheme: 'dark', width: 390 });
    });
    afterAll(async () => {
      await stand.rig.stop();
      await stand.service.stop();
    });
    const inBoth = async (look: (seen: Visit) => Promise<void>): Promise<void> => {
      for (const seen of [ada, bea]) {
        await look(seen);
        await checkAccess(seen.page);
        const width = seen.page.viewportSize()?.width ?? 0;
        expect(await seen.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    };

    test('a user is linked after a look, moved, and unlinked', async () => {
      await walkLinks(stand, ada);
      expect(ada.errors).toEqual([]);
    });

    test('a file of links is checked by line, then imported with progress', async () => {
      const { rig } = stand;
      rig.ehr.put(aPatient('pat-file', 'MRN-file'));
      const csv =
        'user_id,mrn\r\nuser-file,MRN-file\r\n,MRN-file\r\nuser-other, bad \r\n\r\ntwice,MRN-file\r\ntwice,MRN-file\r\n';
      const { page, go } = ada;
      await go('/links');
      await page.click('text=Many at once, as CSV');
      await page.setInputFiles('input[type=file]', {
        name: 'links.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv),
      });
      await page.click('text=Check without effect');
      await page.waitForSelector('text=Nothing was changed yet.');
      const cells = await page.locator('form.import tbody tr').allTextContents();
      expect(cells.map((cell) => Number.parseInt(cell, 10))).toEqual([3, 4, 6, 7]);
      await checkAccess(page);
      expect((await rig.admin('GET', 'links/user-file')).status).toBe(404);
      await page.click('text=Import 1 row');
      await page.waitForSelector('text=Imported: 1 confirmed');
      expect((await rig.admin('GET', 'links/user-file')).body).toMatchObject({ links: [{ mrn: 'MRN-file' }] });

      // A cell of two lines holds what looks like a row: nobody is linked by it.
      const odd = 'user_id,mrn,evidence\r\nouter,MRN-file,"a\r\ninner,MRN-file,b"\r\ngood,MRN-file,c\r\n';
      await page.setInputFiles('input[type=file]', { name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from(odd) });
      await page.click('text=Check without effect');
      await page.waitForSelector('text=the evidence is too long or has more than one line');
      await page.click('text=Import 1 row');
      await page.waitForSelector('text=Imported: 1 confirmed');
      const statuses = await Promise.all(
        ['outer', 'inner', 'good'].map(async (user) => (await rig.admin('GET', `links/${user}`)).status),
      );
      expect(statuses).toEqual([404, 404, 200]);
    });

    test('a patient is enrolled by MRN, connected, given a code, a rule and a laboratory document', async () => {
      const { rig, service } = stand;
      rig.ehr.put(aPatient('pat-new', 'MRN-new', { name: [{ text: 'Nora New' }] }));
      const { page, go } = ada;
      await go('/patient');
      await page.fill('input[name=mrn]', 'MRN-new');
      await page.click('text=Show or enrol');
      await page.waitForSelector('text=This patient is not enrolled.');
      await page.waitForSelector('text=Nora New');
      await page.fill('input[name=source]', 'Ring');
      await page.click('form[aria-label="Connect a data source"] button[type=submit]');
      await page.waitForSelector('text=It has these: StrapWearable, RingWearable');
      await page.fill('input[name=source]', 'RingWearable');
      await page.click('form[aria-label="Connect a data source"] button[type=submit]');
      await page.waitForSelector('text=The patient authorises it at this address:');
      await page.waitForSelector('text=waits for the patient');
      await page.click('text=Ask the service');
      await page.waitForSelector('text=RingWearable is not authorised, the service says.');
      await page.click('text=Authorization link');
      await page.waitForSelector(`code >> text=${service.url}`);
      const { links } = (await rig.admin('GET', 'links?mrn=MRN-new')).body as { links: { userId: string }[] };
      const user = links[0]?.userId ?? '';

      await page.fill('input[name=clinic]', 'First Clinic');
      await page.click('text=Make a code');
      await page.waitForSelector('img[alt^="Picture"]');
      expect(await page.locator('.salt').textContent()).toMatch(/^\d{6}$/);

      await page.reload();
      await page.waitForSelector('text=MRN MRN-new');
      await page.fill('input[name="sleep_duration threshold_min_float"]', '5.5');
      await page.click('text=Store this rule');
      await page.waitForSelector('text=The patient’s own rule');
      expect(service.effectiveRule(CLIENT, user, 'sleep_duration').rule).toMatchObject({ threshold_min_float: 19_800 });

      await page.setInputFiles('.drop input', {
        name: 'lab.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4\nA document\n%%EOF\n'),
      });
      await page.waitForSelector('text=The service has it.');
      await page.waitForSelector('li[aria-current=step] >> text=Read by the service');
      const { requests } = (await rig.admin('GET', 'patients/MRN-new/labs')).body as { requests: { id: string }[] };
      await rig.deliver(aLabResult({ userId: user, documentId: requests[0]?.id ?? '' }));
      await page.waitForSelector('.steps li.done >> text=In the chart');
      await page.click('text=Ask for a profile');
      await page.waitForSelector('text=The service works on it.');
      const dropped = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], 'a.txt', { type: 'text/plain' }));
        return data;
      });
      await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
      await page.waitForSelector('text=Only PDF, JPEG and PNG are read.');
      await expectNobodyNamed(page, 'MRN-new', user);

      const address = new URL(page.url());
      await inBoth(async (seen) => {
        await seen.go(`/patient${address.search}`);
        await seen.page.waitForSelector('text=MRN MRN-new');
        await seen.page.waitForSelector('.timeline >> text=lab_result');
      });
      await page.click('text=Disconnect from all …');
      await page.fill('dialog input[name=reason]', 'The patient asked for it');
      await checkAccess(page);
      await page.click('dialog button.danger');
      await page.waitForSelector('text=Disconnected.');
      await page.click('dialog >> text=Close');
      await page.waitForSelector('text=was disconnected here');
      await page.click('text=All patients');
      await page.click('tbody a >> text=MRN-new');
      await page.waitForSelector('text=MRN MRN-new');
      expect(await page.getAttribute('text=Who saw this patient', 'href')).toMatch(/audit\?patient=%7Em\./);
    });

    test('deliveries are found by patient, time, request and finding, followed live, and saved', async () => {
      const { rig } = stand;
      await rig.enrol('=user-found', 'MRN-found');
      const { id } = await rig.deliver(aClinicalReady({ userId: '=user-found', observations: 2 }));
      const { page, go } = ada;
      await go('/deliveries');
      await page.fill('input[name=mrn]', 'MRN-found');
      await page.click('text=Find');
      await page.waitForSelector('text=1 delivery');
      await page.waitForSelector(`a[href$="${id}"]`);
      expect(page.url()).toMatch(/mrn=%7Em\./);
      await expectNobodyNamed(page, 'MRN-found', 'user-found');
      const [command] = await page.$$eval('button[title^="chartgate "]', (all) =>
        all.map((one) => one.getAttribute('title')),
      );
      expect(command).toMatch(/^chartgate deliveries list --mrn '~m\.[\w-]+'$/);

      await page.click('text=Save as CSV …');
      await page.check('dialog input[type=checkbox]');
      await checkAccess(page);
      const [file] = await Promise.all([page.waitForEvent('download'), page.click('dialog >> text=Save >> nth=-1')]);
      await page.waitForSelector('text=Saved 1 deliveries');
      const csv = readFileSync(await file.path(), 'utf8');
      expect(csv.split('\r\n')[1]).toMatch(new RegExp(`^${id},.*,'=user-found,MRN-found$`));
      await page.click('dialog >> text=Close');

      await page.click('text=Follow live');
      await page.waitForSelector('text=Live:');
      const next = await rig.send(aClinicalReady({ userId: '=user-found', observations: 3, documentVersion: 2 }));
      await page.waitForSelector(`a[href$="${next}"]`);
      await ada.context.setOffline(true);
      await page.waitForSelector('text=Cut off:');
      await ada.context.setOffline(false);
      await page.waitForSelector('text=Live:');

      const { requestId } = (await rig.read(id)) as unknown as { requestId: string };
      await go(`/deliveries?request=${requestId}&from=2020-01-01T00:00:00Z`);
      await page.waitForSelector(`a[href$="${id}"]`);
      expect(await page.inputValue('input[name=request]')).toBe(requestId);
      await page.fill('input[name=finding]', 'code.unmapped');
      await page.click('text=Find');
      await page.waitForSelector('text=No delivery is like that.');
      await inBoth(({ go: visitAt }) => visitAt('/deliveries?state=delivered&why=x&live=on'));
    });

    test('whoever looks at a restricted patient says why, once', async () => {
      const { rig } = stand;
      await rig.enrol('user-hidden', 'MRN-hidden');
      await rig.admin('PUT', 'patients/MRN-hidden/restriction');
      const { body } = await rig.admin('POST', 'handles', { mrns: ['MRN-hidden'] });
      const { page, go } = ada;
      await go(`/patient?of=${String((body['mrns'] as unknown[])[0])}`);
      await page.waitForSelector('text=Why do you look at this patient?');
      await checkAccess(page);
      await page.click('text=Do not look');
      await page.waitForSelector('text=admin.reason-needed');
      await page.click('text=Say why >> nth=0');
      await page.fill('dialog input[name=reason]', 'Asked for by the ward');
      await page.click('dialog button[type=submit]');
      await page.waitForSelector('text=No data source is connected.');
      expect(await page.locator('dialog').count()).toBe(0);
      const seen = await fetch(rig.url('/admin/api/audit?patient=MRN-hidden&limit=50'), {
        headers: {
          authorization: `Bearer ${rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? ''}`,
          'chartgate-reason': 'A test looks',
        },
      });
      expect(await seen.text()).toContain('Asked for by the ward');
      await rig.admin('DELETE', 'patients/MRN-hidden/restriction');
    });

    test('a patient is restricted from their screen with a reason, and freed again', async () => {
      const { rig } = stand;
      await rig.enrol('user-known', 'MRN-known');
      const { body } = await rig.admin('POST', 'handles', { mrns: ['MRN-known'] });
      const { page, go } = ada;
      const errorsBefore = ada.errors.length;
      const looked = async (): Promise<unknown> => {
        const answer = await rig.admin('GET', 'patients/MRN-known/restriction');
        return answer.body['code'] ?? answer.body['isRestricted'];
      };
      expect(await looked()).toBe(false);
      await go(`/patient?of=${String((body['mrns'] as unknown[])[0])}`);
      await page.click('text=Restrict …');
      await page.waitForSelector('dialog >> text=nobody is shown anything of this patient without saying why');
      await checkAccess(page);
      await page.fill('dialog input[name=reason]', 'Asked for by the patient');
      await page.click('dialog button:text-is("Restrict")');
      await page.waitForSelector('text=The patient is restricted.');
      await page.waitForSelector('text=Restricted: whoever looks says why.');
      expect(await looked()).toBe('admin.reason-needed');
      await checkAccess(page);
      await page.click('text=Lift the restriction …');
      await page.fill('dialog input[name=reason]', 'No longer wanted');
      await page.click('dialog button:text-is("Lift it")');
      await page.waitForSelector('text=The patient is not restricted any more.');
      expect(await looked()).toBe(false);
      await page.click('section:has(#who) >> text=See it in the audit');
      await page.waitForSelector('td >> text=/restrict/i');
      await expectNobodyNamed(page, 'MRN-known');
      expect(ada.errors.slice(errorsBefore)).toEqual([]);
    });

    test('every dialog stands on a phone in the dark, and closes by Escape', async () => {
      const { rig } = stand;
      await rig.enrol('user-dark', 'MRN-dark');
      const { body } = await rig.admin('POST', 'handles', { mrns: ['MRN-dark'], users: ['user-dark'] });
      const [mrn, user] = [String((body['mrns'] as unknown[])[0]), String((body['users'] as unknown[])[0])];
      const { page, go } = bea;
      const look = async (words: string): Promise<void> => {
        await page.waitForSelector(`dialog >> text=${words}`);
        await checkAccess(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
        await page.keyboard.press('Escape');
        await page.waitForSelector('dialog', { state: 'detached' });
      };
      await go('/deliveries');
      await page.click('text=Save as CSV …');
      await look('With MRN and user');
      await go(`/links?user=${user}`);
      await page.fill('form[aria-label="Link to another patient"] input[name=mrn]', 'MRN-dark');
      await page.click('text=Look up …');
      await look('1 user is linked to this patient already.');
      await page.click('text=Unlink …');
      await look('Nothing of this user stands in the chart.');
      await go(`/patient?of=${mrn}`);
      await page.click('text=Disconnect from all …');
      await look('No data source is connected now');
      await rig.admin('PUT', `patients/${mrn}/restriction`);
      await go(`/patient?of=${mrn}`);
      await look('The hospital has restricted this patient.');
      await page.waitForSelector('text=admin.reason-needed');
      await rig.admin('DELETE', `patients/${mrn}/restriction`);
    });

    test('who may not change anything sees no form for it, and is refused by the API', async () => {
      const { page, go, context } = await visit(browser, stand, 'eng', ['engineer']);
      await go('/links');
      expect(await page.locator('form[aria-label="Link a user"]').count()).toBe(0);
      await go('/patient');
      await page.click('tbody a >> nth=0');
      await page.waitForSelector('text=What happened');
      expect(await page.locator('.drop, form[aria-label="Connect a data source"]').count()).toBe(0);
      expect(await page.locator('text=Who saw this patient').count()).toBe(0);
      const refused = await page.evaluate(async () => (await fetch('/admin/api/patients/MRN-new/preview')).status);
      expect(refused).toBe(403);
      await context.close();
    });
  });

  test('on postgres a user is linked after a look, moved, and unlinked too', async () => {
    const stand = await startStand(postgresPlace);
    try {
      const seen = await visit(browser, stand, 'ada', EVERYTHING);
      await walkLinks(stand, seen);
      expect(seen.errors).toEqual([]);
    } finally {
      await stand.rig.stop();
      await stand.service.stop();
    }
  });
});
