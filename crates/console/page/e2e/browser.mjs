// The browser of the specs: Chromium as the system has it, and a page that reports what must not happen.
import { chromium } from 'playwright-core';

export const BASE = process.env.PREMATH_URL ?? 'http://127.0.0.1:7423';
export const TOKEN = process.env.PREMATH_TOKEN ?? 'fixture';

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** A page that is inside, with a list of what went wrong on it: errors, refusals of the CSP, requests to elsewhere. */
export async function visit(browser, path, { base = BASE, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) wrong.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:') && !request.url().startsWith('blob:')) wrong.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(`${base}${path}#token=${encodeURIComponent(TOKEN)}`);
  return { page, context, wrong };
}
