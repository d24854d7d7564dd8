import type { Page, Response } from 'playwright-core';
import { ALL_RULES, COLOR_RULES, errorsOf, picture, violationsOf, WIDTH_RULES } from './browser.js';

const PAGE_BYTES_MAX = 100_000;

type View = {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
};

export const LIGHT: View = { name: 'light', colorScheme: 'light', viewport: { width: 1_200, height: 800 } };
export const NARROW: View = { name: 'narrow', colorScheme: 'light', viewport: { width: 375, height: 760 } };
/** Color schemes and screen sizes. Pages are loaded and used in the first one, where the controls have least space. */
export const VIEWS = [NARROW, LIGHT, { ...LIGHT, name: 'dark', colorScheme: 'dark' }] as const;
/** Widths at which only the rules are applied whose result depends on the width. */
const OTHER_WIDTHS = [320, 768] as const;
type Views = readonly [View, ...View[]];

/** Checks each page: accessible, without script errors, and small. */
export class Tour {
  readonly #page: Page;
  readonly #views: Views;
  readonly faults: string[] = [];
  #bytes: Promise<number>[] = [];

  constructor(page: Page, views: Views) {
    this.#page = page;
    this.#views = views;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) this.#bytes = [];
    });
    page.on('response', (response) => this.#bytes.push(bytesOf(response)));
  }

  async goTo(url: string): Promise<void> {
    await this.#page.goto(url);
  }

  async observe(name: string): Promise<void> {
    await this.#page.waitForLoadState('load');
    const sizes = await Promise.all(this.#bytes.splice(0));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes > PAGE_BYTES_MAX) this.faults.push(`${name}: ${bytes} bytes`);
    for (const view of this.#views) await this.#check(name, view);
    if (this.#views.includes(NARROW)) await this.#checkWidths(name);
    const errors = await errorsOf(this.#page);
    this.faults.push(...errors.map((error) => `${name}: ${error}`));
    await this.#show(this.#views[0]);
  }

  /** The widths in between: few rules, so that a tour takes hardly longer, and no pictures. */
  async #checkWidths(name: string): Promise<void> {
    for (const width of OTHER_WIDTHS) {
      await this.#show({ ...LIGHT, viewport: { width, height: 800 } });
      const violations = await violationsOf(this.#page, WIDTH_RULES);
      this.faults.push(...violations.map((violation) => `${name}, ${width} px: ${violation}`));
    }
  }

  async #check(name: string, view: View): Promise<void> {
    await this.#show(view);
    // The style sheet changes only colors in the dark scheme, so only rules about colors can have another result.
    const violations = await violationsOf(this.#page, view.colorScheme === 'dark' ? COLOR_RULES : ALL_RULES);
    this.faults.push(...violations.map((violation) => `${name}, ${view.name}: ${violation}`));
    const overflow = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    if (await this.#page.evaluate<boolean>(overflow))
      this.faults.push(`${name}, ${view.name}: wider than the screen`);
    await picture(this.#page, `${name}-${view.name}.png`);
  }

  async #show({ colorScheme, viewport }: Omit<View, 'name'>): Promise<void> {
    await this.#page.emulateMedia({ colorScheme });
    await this.#page.setViewportSize(viewport);
  }
}

/** Loaded once for all pages: the chart library and the font. */
const SHARED = /\/(?:uplot|inter)\./;

/** The size of a response in bytes; 0 for what is shared, for what an open page asks for again, and for responses without a body. */
async function bytesOf(response: Response): Promise<number> {
  const isAskedAgain =
    response.request().headers()['x-page-poll'] !== undefined ||
    response.request().resourceType() === 'eventsource';
  if (SHARED.test(response.url()) || isAskedAgain || response.status() >= 300) return 0;
  return (await response.body().catch(() => Buffer.of())).length;
}
