/** The browser of this machine, and pages in it. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { dashboard, type Running } from './dashboard.ts';

const PLACES = [
  process.env.CHROMIUM_BIN,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Null where there is none: then the tests in a browser are skipped, and say so. */
export const CHROMIUM = PLACES.find((place) => place && existsSync(place)) ?? null;

if (!CHROMIUM) console.warn('skipped: no Chromium was found; install it, or name it in CHROMIUM_BIN');

/** Nothing but the page itself is to be fetched. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

let running: Promise<Browser> | null = null;

afterAll(async () => (await running)?.close());

export interface Opened {
  page: Page;
  running: Running;
  /** Requests to anywhere but the dashboard. */
  strays: string[];
}

/** The dashboard of a root in a fresh browser profile. Fails the test when the page reports an error. */
export async function open(root: string, options: BrowserContextOptions = {}, hash = '', decides = true): Promise<Opened> {
  running ??= chromium.launch({ executablePath: CHROMIUM ?? '', args: QUIET });
  const served = await dashboard(root, decides);
  const context = await (await running).newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors: string[] = [];
  const strays: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (sent) => {
    if (!sent.url().startsWith(served.url)) strays.push(sent.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  await page.goto(`${served.url}${hash}`);
  await page.locator('h1').first().waitFor();
  return { page, running: served, strays };
}
