import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { archivedSession } from '../../../mcp-server/src/state/archive.ts';
import { appendJournal } from '../../../mcp-server/src/state/journal.ts';
import { readState } from '../../../mcp-server/src/state/session-file.ts';
import { makeRepository } from '../git/sandbox.ts';
import { fileOf, freshState } from '../state/store.ts';
import { CHROMIUM, open } from './chromium.ts';
import { dashboard } from './dashboard.ts';
import { ACTIVE, addPast, showcase, waiting, writeState } from './showcase.ts';

const node = (root: string): string | null => {
  const found = readState(root);
  return found.kind === 'present' ? found.state.node : null;
};

/** Works on the keyboard alone: Tab until the wanted element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
  }
  throw new Error(`${selector} is not reached by Tab`);
}

async function unlock(page: Page, code: string): Promise<void> {
  await page.fill('#code', code);
  await page.getByRole('button', { name: 'Unlock decisions' }).click();
  await page.getByText('you can decide').waitFor();
}

const sideways = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  );
}

describe.skipIf(!CHROMIUM)('the page', () => {
  test.each([
    ['retry', 'Retry', 'READY_PLAN', 'back at planning'],
    ['accept', 'Accept unverified', 'PRE_COMMIT', 'Decided: accept'],
    ['abort', 'Abort', null, 'The session was ended'],
  ])('answers an escalation: %s', async (_answer, button, reached, said) => {
    const root = waiting(makeRepository().root);
    const { page, running } = await open(root);
    const choice = page.getByRole('button', { name: button, exact: false }).and(page.locator('.answer'));
    expect(await choice.isDisabled()).toBe(true);
    await page.fill('#code', 'AAAA-AAAA');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(node(root)).toBe('VERIFY_ESCALATION');
    await unlock(page, running.code);
    await choice.click();
    await page.getByText(said).waitFor();
    expect(node(root)).toBe(reached);
    // One code, one decision.
    await page.locator('.rights.locked').waitFor();
  });

  test('by keyboard alone: unlock, end the session after a second thought, and come back to the button', async () => {
    const root = showcase();
    const { page, running } = await open(root);
    await tabTo(page, '.skip');
    await tabTo(page, '.decisions .head button');
    await page.keyboard.press('Enter');
    await tabTo(page, '#code');
    await page.keyboard.type(running.code.toLowerCase());
    await page.keyboard.press('Enter');
    await page.getByText('you can decide').waitFor();
    await tabTo(page, '.decisions .head button');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(node(root)).toBe('READY_IMPLEMENT');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('End session');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'dialog .danger');
    await page.keyboard.press('Enter');
    await page.getByText('The session was ended').waitFor();
    expect(archivedSession(root, ACTIVE)).toMatchObject({ outcome: 'aborted' });
    // Flow, artifacts, filters and past sessions are reached, too.
    await tabTo(page, '.chip[aria-pressed="false"]');
    await page.keyboard.press('Enter');
    await page.locator('.chip[aria-pressed="true"]', { hasText: 'Steps' }).waitFor();
  });

  test('without the code it only shows, and says where the code is', async () => {
    const { page } = await open(waiting(), {}, '', false);
    expect(await page.locator('#code').count()).toBe(0);
    await page.getByText('run readygate dashboard in a terminal of your own').waitFor();
    expect(await page.locator('.answer, .unlock').count()).toBe(0);
  });

  test('follows the session live, and comes back when the server was away', async () => {
    const root = showcase();
    const { page, running } = await open(root);
    await page.locator('.event').first().waitFor();
    const rows = await page.locator('.event').count();
    const state = JSON.parse(readFileSync(fileOf(root), 'utf8'));
    writeState(root, { ...state, rev: 2, node: 'READY_FINISH', step: 14 });
    appendJournal(root, ACTIVE, [{ event: 'block', rev: 2, step: 14, phase: 'READY', guard: 'RG14', why: 'x' }], new Date());
    await page.getByRole('heading', { level: 1, name: 'Finish' }).waitFor();
    await page.getByText('Blocked at 14 Finish: RG14').waitFor();
    expect(await page.locator('.event').count()).toBe(rows + 1);
    expect(await page.title()).toBe('14/19 · Readygate');
    await running.close();
    await page.locator('.connection.lost').waitFor();
    writeState(root, { ...state, rev: 3, node: 'PRE_COMMIT', phase: 'PRE_COMMIT', step: 17, gate: 'closed' });
    await dashboard(root, true, running.port);
    await page.locator('.connection.live').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Review & commit' }).waitFor();
  });

  test('runs nothing that an artifact or a task holds, and fetches nothing for it', async () => {
    const root = showcase({ task: '<img src=x onerror="window.pwned=9"><script>window.pwned=8</script>' });
    const { page, strays } = await open(root);
    await page.getByRole('button', { name: /report\.md/ }).click();
    const article = page.getByRole('article', { name: 'report.md' });
    await article.waitFor();
    expect(await article.textContent()).toContain('<script>window.pwned = 1</script>');
    expect(await article.locator('script, img, iframe, a[href^="javascript"], a[href^="data"]').count()).toBe(0);
    for (const link of await article.locator('a').all()) expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await page.evaluate('window.pwned === undefined')).toBe(true);
    // The policy would stop what the page let through.
    const ran = await page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.text = 'window.pwned = 7'; document.body.append(script); } catch {}
      try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=6">'); } catch {}
      return window.pwned;
    })()`);
    expect(ran ?? null).toBeNull();
    expect(strays).toEqual([]);
  });

  test('renders Markdown, and tells facts, assumptions and gaps apart by shape and word', async () => {
    const { page } = await open(showcase());
    await page.getByRole('button', { name: /analysis\.md/ }).click();
    const article = page.getByRole('article', { name: 'analysis.md' });
    await article.getByRole('heading', { name: 'Situation analysis' }).waitFor();
    expect(await article.locator('tbody tr').count()).toBe(3);
    expect(await article.locator('li').count()).toBe(5);
    expect(await article.locator('pre').textContent()).toContain('while (counter.take())');
    const looks = await page.evaluate(`['fact', 'assumption', 'gap'].map((kind) => {
      const { borderTopStyle, borderTopLeftRadius } = getComputedStyle(document.querySelector('.known.' + kind + ' li'));
      return borderTopStyle + borderTopLeftRadius;
    })`);
    expect(new Set(looks as string[]).size).toBe(3);
    const drawings = await page.locator('.known h3 svg').evaluateAll((icons) => icons.map((icon) => String(icon.innerHTML)));
    expect(new Set(drawings).size).toBe(3);
    expect(await page.locator('.known h3').allTextContents()).toEqual([' Facts 3', ' Assumptions 2', ' Gaps 1']);
  });

  test('is no wider than the window, readable in light and dark by WCAG AA, in both languages', async () => {
    const root = waiting();
    addPast(root, 12);
    const { page, running } = await open(root, { viewport: { width: 375, height: 800 } });
    await page.fill('#code', running.code);
    await page.keyboard.press('Enter');
    await page.locator('.rights.unlocked').waitFor();
    await page.locator('.pasts li').first().waitFor();
    const papers = new Set<unknown>();
    for (const [width, colorScheme, language, heading, rules] of [
      [375, 'light', 'English', 'Tasks', false],
      [375, 'dark', '日本語', 'タスク', true],
      [1440, 'light', '日本語', 'タスク', true],
      [1440, 'dark', 'English', 'Tasks', false],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.getByRole('button', { name: language }).click();
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe(language === 'English' ? 'en' : 'ja');
      expect(await sideways(page), `${width} ${language}`).toBe(0);
      if (rules) expect(await violations(page), `${colorScheme} ${language}`).toEqual([]);
      papers.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      expect(await page.locator('.stop').count()).toBeGreaterThanOrEqual(18);
      expect(await page.locator('.stop[aria-current="step"]').count()).toBe(1);
      expect(await page.locator('#page').textContent()).not.toMatch(/web\.[a-z]+/);
    }
    expect(papers.size).toBe(2);
  });

  test('a thousand past sessions and five thousand events stay usable', async () => {
    const root = showcase();
    addPast(root, 1000);
    const now = new Date();
    const lines = Array.from({ length: 5000 }, (_, index) => ({
      event: 'block',
      rev: 1,
      step: 13,
      phase: 'READY',
      guard: 'RG14',
      why: String(index),
    }));
    appendJournal(root, ACTIVE, lines, now);
    const { page } = await open(root);
    await page.getByText('40 of 1000').waitFor();
    await page.locator('.event').first().waitFor();
    expect(await page.locator('.event').count()).toBe(200);
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.locator('.event').nth(399).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('80 of 1000').waitFor();
    await page.getByRole('button', { name: /^Returns/ }).click();
    await page.getByText('15 Verify → 12 Plan').waitFor();
    expect(await page.locator('.event').count()).toBe(1);
  });

  test('a past session is opened from the plot, and the way back leads to the active one', async () => {
    const root = showcase();
    addPast(root, 6);
    const { page } = await open(root);
    await page.locator('.column-link').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('You are looking at a past session').waitFor();
    expect(await page.locator('.decisions').count()).toBe(0);
    await page.getByRole('link', { name: 'To the active one' }).click();
    await page.getByRole('heading', { level: 1, name: 'Implement' }).waitFor();
  });

  test('before the first session it says how to begin, and shows the session once it is there', async () => {
    const root = showcase();
    const fresh = freshState(join(root, '..'));
    const { page } = await open(join(root, '..'));
    await page.getByText('No session was run here yet').waitFor();
    writeState(join(root, '..'), { ...fresh, task: 'begin at last' });
    await page.getByText('begin at last').waitFor();
    expect(existsSync(join(root, '..', '.readygate', 'state.json'))).toBe(true);
    writeFileSync(join(root, '..', '.readygate', 'state.json'), '{');
    await page.getByRole('alert').waitFor();
  });
});
