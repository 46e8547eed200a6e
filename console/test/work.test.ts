import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { PLACES } from '../../test/support/new-store.ts';
import { GOOD_PASSWORD } from '../../test/support/operator-desk.ts';
import { aStepsEvent } from '../../test/support/payloads/index.ts';
import { describeInBrowser, startBrowser } from '../../test/support/start-browser.ts';
import { checkAccess, PROOF_IS_OLD_MS, startConsole, visit, type Visit } from './open-console.ts';
import { makeWork, type Waiting } from './work-stand.ts';

// A browser on a busy machine is slow, not wrong.
jest.setTimeout(120_000);

const EVERYTHING = ['engineer', 'clinical-reviewer', 'registrar', 'auditor'];

/** In both colour schemes, at a desk and on a phone, as the page stands now. */
async function checkBoth(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['dark', 390],
    ['light', 1_280],
  ] as const) {
    // Colours on their way from one scheme to the other are neither's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await checkAccess(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([page.url(), wide <= width]).toEqual([page.url(), true]);
  }
}
const groupOf = (page: Page, title: string) => page.locator('article', { has: page.locator('h2', { hasText: title }) });

describeInBrowser('work in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  describe.each(PLACES)('on %s', (engine, makePlace) => {
    let stand: Awaited<ReturnType<typeof startConsole>>;
    let waiting: Waiting;
    let seen: Visit;
    beforeAll(async () => {
      stand = await startConsole(makePlace);
      waiting = await makeWork(stand.rig);
      seen = await visit(browser, stand, 'ada', EVERYTHING);
    });
    afterAll(async () => {
      await seen.context.close();
      await stand.rig.stop();
    });

    test('a user whose data waits is linked from the queue, after a look at the EHR', async () => {
      const { page, go } = seen;
      await go('/queue');
      expect(await groupOf(page, 'Nobody is linked').locator('.group-count').textContent()).toBe('3deliveries');
      await groupOf(page, 'Nobody is linked').getByText('Link the users').click();
      await page.click('text=Link …');
      await page.fill('dialog input[name=mrn]', 'MRN-W');
      await page.click('text=Look at the EHR');
      await page.waitForSelector('dialog >> text=Wanda Waits');
      if (engine === 'sqlite') await checkBoth(page);
      await page.click('text=It is this patient: link');
      await page.waitForSelector('text=Linked. 3 deliveries that waited go on.');
      expect((await stand.rig.resting(waiting.unlinked)).state).toBe('delivered');
      expect(page.url()).not.toMatch(/MRN-W|user-waits/);
      expect(await page.title()).toBe('Work queue · Chartgate');
      expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
    });

    test('many are discarded: a preview, a job with its own address, and what the audit holds of it', async () => {
      const { page, go } = seen;
      await go('/queue?state=quarantined');
      await groupOf(page, 'It names two users').getByText('Discard all …').click();
      await page.fill('dialog input[name=reason]', 'The source sends them again');
      await page.click('dialog >> text=Preview');
      await page.waitForSelector('text=Would discard 2 deliveries of 1 patient.');
      if (engine === 'sqlite') await checkBoth(page);
      await page.getByRole('button', { name: 'Discard 2 deliveries' }).click();
      await page.waitForSelector('text=2 deliveries moved');
      expect(page.url()).toMatch(/\/jobs\/job_/);
      await page.reload();
      await page.waitForSelector('text=2 deliveries moved');
      expect(await page.locator('progress').evaluate((bar: HTMLProgressElement) => bar.value)).toBe(2);
      if (engine === 'sqlite') await checkBoth(page);
      const link = (await page.locator('text=See it in the audit').getAttribute('href')) ?? '';
      const { body } = await stand.rig.admin('GET', `audit?request=${link.split('request=')[1] ?? ''}`);
      expect((body['records'] as { why?: string }[]).map(({ why }) => why)).toContain('job.start');
      await page.click('text=All jobs');
      await page.waitForSelector('td >> text=It names two users');
      if (engine === 'sqlite') await checkBoth(page);
      await go('/queue?state=quarantined');
      await page.waitForSelector('text=Nothing waits for a person');
      expect(seen.errors).toEqual([]);
    });

    test('those that wait for one word are judged or discarded by it, and the others are left alone', async () => {
      const { page, go } = seen;
      await go('/queue?open=parked unmapped');
      const row = page.locator('tr', { hasText: 'nap_event' });
      await row.getByText('Discard …').click();
      await page.waitForSelector('dialog >> text=Those that wait for the structure “nap_event”.');
      await page.fill('dialog input[name=reason]', 'Nobody wants naps');
      await page.click('dialog >> text=Preview');
      await page.waitForSelector('text=Would discard 1 delivery of 1 patient.');
      await page.getByRole('button', { name: 'Discard 1 delivery' }).click();
      await page.waitForSelector('text=1 delivery moved');
      await page.waitForSelector('dd >> text=for one word');
      expect((await stand.rig.resting(waiting.alsoUnmapped)).state).toBe('discarded');
      expect((await stand.rig.resting(waiting.unmapped)).state).toBe('parked');
      await go('/queue?open=parked unmapped');
      await page.waitForSelector('tr:has-text("dream_event")');
      expect(await page.locator('tr', { hasText: 'nap_event' }).count()).toBe(0);
      if (engine === 'sqlite') await checkBoth(page);
      await page.locator('tr', { hasText: 'dream_event' }).getByText('1 delivery').click();
      await page.waitForSelector('text=one word');
      await page.waitForSelector(`td >> text=${waiting.unmapped}`);
      expect(page.url()).not.toContain('dream');
      if (engine === 'sqlite') await checkBoth(page);
      expect(seen.errors).toEqual([]);
    });

    if (engine === 'postgres')
      test('a job of one user that is really under way shows how far it is, and is stopped', async () => {
        const { page, go } = seen;
        const { rig } = stand;
        const sent: string[] = [];
        for (const day of ['2026-11-01', '2026-11-02', '2026-11-03'])
          sent.push((await rig.deliver(aStepsEvent({ userId: 'user-held', at: `${day}T10:00:00+01:00` }))).id);
        const { database } = rig.place;
        if (database.engine !== 'postgres') throw new Error('not PostgreSQL');
        // As long as somebody else is at a delivery, the job waits for it.
        const other = new pg.Client(database.url.reveal());
        await other.connect();
        await other.query('BEGIN');
        await other.query('SELECT 1 FROM delivery WHERE id = ANY($1) FOR UPDATE', [sent.slice(1)]);
        try {
          await go('/queue?open=parked unlinked');
          const row = page.locator('tr', { hasText: 'user-held' });
          await row.getByText('Judge again …').click();
          await page.click('dialog >> text=Preview');
          await page.waitForSelector('text=Would judge again 3 deliveries of 1 patient.');
          await page.getByRole('button', { name: 'Start' }).click();
          await page.waitForSelector('text=1 of 3');
          await page.waitForSelector('dd >> text=of one user');
          await page.click('text=Stop …');
          await page.waitForSelector('dialog >> text=the other 2 are left alone');
          await checkBoth(page);
          await page.click('dialog >> text=/^Stop$/');
          await page.waitForSelector('text=2 not reached');
          expect(page.url()).not.toContain('user-held');
        } finally {
          await other.query('ROLLBACK');
          await other.end();
        }
        const steps = await Promise.all(sent.map(async (id) => (await rig.resting(id)).steps.length));
        expect(steps).toEqual([4, 2, 2]);
        expect(seen.errors).toEqual([]);
      });

    if (engine !== 'sqlite') return;

    test('a conflict is decided after both sides were seen', async () => {
      const { page, go } = seen;
      await go('/queue');
      await page.getByRole('link', { name: 'See both sides' }).click();
      await page.waitForSelector('.differs >> text=Weighed again at the ward');
      await checkBoth(page);
      await page.click('text=Keep the chart …');
      await page.waitForSelector('dialog >> text=About 1 resource that somebody changed.');
      await checkBoth(page);
      await page.fill('dialog input[name=reason]', 'Weighed at the ward');
      await page.click('dialog button:has-text("Keep the chart")');
      await page.waitForSelector('text=The chart stays as it is');
      expect((await stand.rig.until(waiting.conflict, ({ state }) => state === 'delivered')).state).toBe('delivered');
      const link = (await page.locator('text=See it in the audit').getAttribute('href')) ?? '';
      expect(link).toContain(`delivery=${waiting.conflict}`);
      const { body } = await stand.rig.admin('GET', `audit?delivery=${waiting.conflict}&type=admin`);
      const decided = (body['records'] as { why?: string; reason?: string }[]).find(({ why }) => why === 'decision');
      expect(decided).toMatchObject({ reason: 'Weighed at the ward', actor: 'ada' });
    });

    test('a suspicious plan is approved after what it withdraws was seen', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.suspicious}`);
      await page.waitForSelector('text=It would take 5 resources out of the chart');
      expect(await page.locator('table tbody tr').count()).toBe(5);
      await checkBoth(page);
      await page.click('text=Approve the plan …');
      await page.fill('dialog input[name=reason]', 'Asked the source');
      await page.click('dialog button:has-text("Approve the plan")');
      await page.waitForSelector('text=The plan is approved and carried out.');
      await stand.rig.until(waiting.suspicious, ({ state }) => state === 'delivered');
      expect(stand.rig.chart('Patient/pat-mrn-withdrawn')).toHaveLength(1);
    });

    test('what a version changed, what decided its rows and what stands at the EHR are shown', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.conflict}?view=changes`);
      await page.waitForSelector('text=2 differences, 2 resources say the same');
      await page.waitForSelector('caption >> text=Body weight, 2026-11-14');
      await checkBoth(page);
      await page.click('text=Said and written');
      await page.waitForSelector('code >> text=conceptmap-metrics.json#weight/point');
      await checkBoth(page);
      await page.click('.views >> text=At the EHR');
      await page.waitForSelector('code >> text=/^Observation\\//');
      await checkBoth(page);
      const link = page.locator('a[target=_blank]', { hasText: 'Observation/' }).first();
      expect(await link.getAttribute('href')).toBe(`${stand.rig.ehr.url}/${(await link.textContent())?.trim()}`);
      const [opened] = await Promise.all([seen.context.waitForEvent('page'), link.click()]);
      await opened.waitForLoadState();
      expect(await opened.textContent('body')).toContain('"resourceType":"Observation"');
      expect(await opened.evaluate(() => [document.referrer, window.opener === null])).toEqual(['', true]);
      await opened.close();
    });

    test('what the EHR refused is told by status and code, and judged again after a look ahead', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.rejected}`);
      await page.waitForSelector('text=Status 422');
      await page.click('text=Judge again …');
      await page.waitForSelector('dialog >> text=Nothing would keep it back now. 2 resources: 2 new.');
      await checkBoth(page);
      await page.click('dialog button:has-text("Judge again")');
      await page.waitForSelector('text=It is judged again.');
      await stand.rig.until(waiting.rejected, ({ state }) => state === 'delivered');
    });

    test('the bytes are shown for a reason and a second proof, and can be saved', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.unmapped}?view=raw`);
      await page.fill('input[name=reason]', 'Asked for by the ward');
      await checkBoth(page);
      stand.clock.advance(PROOF_IS_OLD_MS);
      await page.click('text=Show the bytes');
      await page.fill('dialog input[name=proof]', GOOD_PASSWORD);
      await page.click('dialog >> text=Go on');
      await page.waitForSelector('pre >> text=dream_event');
      await checkBoth(page);
      const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=Save as a file')]);
      expect(saved.suggestedFilename()).toBe(`${waiting.unmapped}.body`);
      const { body } = await stand.rig.admin('GET', `audit?type=admin&delivery=${waiting.unmapped}`);
      expect(JSON.stringify(body)).toContain('Asked for by the ward');
      expect(page.url()).not.toContain('Asked');
    });

    test('the payload of a stored delivery is tried against the mapping data in force', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.unmapped}?view=raw`);
      await page.click('text=Try it against the mapping data in force');
      await page.waitForSelector('text=See what would be written');
      expect(await page.inputValue('input[name=delivery]')).toBe(waiting.unmapped);
      await checkBoth(page);
      await page.fill('input[name=reason]', 'To map its structure');
      await page.click('button:text-is("Take it")');
      await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('dream_event') === true);
      await page.click('button:text-is("Try it")');
      await page.waitForSelector('text=It would not be written');
      const { body } = await stand.rig.admin('GET', `audit?type=admin&delivery=${waiting.unmapped}`);
      expect(JSON.stringify(body)).toContain('To map its structure');
      expect(page.url()).not.toMatch(/rejected|MRN/);
    });

    test('somebody takes a delivery, writes a note, and lets go of it', async () => {
      const { page, go } = seen;
      await go(`/deliveries/${waiting.unmapped}`);
      await page.click('text=Take it');
      await page.waitForSelector('strong >> text=ada');
      await page.fill('textarea', 'Asked the source on Monday');
      await page.click('text=Write it down');
      await page.waitForSelector('.notes >> text=Asked the source on Monday');
      await page.click('text=Give it to …');
      await page.fill('dialog input', 'nobody-of-this-name');
      await checkBoth(page);
      await page.click('dialog >> text=Leave it');
      await page.click('text=Release it');
      await page.waitForSelector('text=Nobody looks after it.');
    });

    test('what a role may not do is not offered, and the API refuses it all the same', async () => {
      const { page, go, context } = await visit(browser, stand, 'rea', ['clinical-reviewer']);
      await go('/queue?open=parked unmapped');
      await page.waitForSelector('text=As the source says it');
      expect(await page.locator('text=/Discard all|Judge all again/').count()).toBe(0);
      await go(`/deliveries/${waiting.unmapped}`);
      await page.waitForSelector('text=First byte');
      expect(await page.locator('text=/Discard …|Judge again …|Take it|Write it down/').count()).toBe(0);
      const refused = await page.evaluate(async (id) => {
        const csrf = ((await (await fetch('/admin/api/session')).json()) as { csrf: string }).csrf;
        const headers = { 'x-chartgate-csrf': csrf, 'content-type': 'application/json' };
        const paths = [`deliveries/${id}/replay`, `deliveries/${id}/discard`, `deliveries/${id}/notes`, 'jobs/preview'];
        return Promise.all(
          paths.map(
            async (path) => (await fetch(`/admin/api/${path}`, { method: 'POST', headers, body: '{}' })).status,
          ),
        );
      }, waiting.unmapped);
      expect(refused).toEqual([403, 403, 403, 403]);
      await context.close();
    });
  });
});
