import type { Page } from 'playwright-core';

/** A desktop, a tablet and phones, widest first: the page is loaded once and then made narrower. */
const WIDTHS = [1_440, 768, 375, 320] as const;

/**
 * Elements that overflow the page horizontally, one line each, and tables of cards that need scrolling. Ignores
 * elements for screen readers only, and elements in a container that scrolls.
 */
const FAULTS = `(() => {
  const root = document.documentElement;
  const width = root.clientWidth;
  const isHidden = (element) => element.closest('.skip') !== null || getComputedStyle(element).clipPath !== 'none';
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const isContained = (element) => {
    for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) {
      if (scrolls(up) || isHidden(up)) return true;
    }
    return false;
  };
  const nameOf = (element) =>
    [element.tagName.toLowerCase(), element.id && '#' + element.id, element.className && '.' + element.className]
      .join('') + ' ' + JSON.stringify(element.textContent.trim().slice(0, 30));
  const faults = root.scrollWidth > width ? ['the page is ' + root.scrollWidth + ' px wide'] : [];
  for (const element of document.body.querySelectorAll('*')) {
    const { left, right } = element.getBoundingClientRect();
    if (left === right || (left >= -0.5 && right <= width + 0.5)) continue;
    if (!isHidden(element) && !isContained(element)) faults.push(nameOf(element) + ' ends at ' + Math.round(right));
  }
  for (const table of document.querySelectorAll('table.cards')) {
    const { scrollWidth, clientWidth } = table.parentElement;
    if (width <= 768 && scrollWidth > clientWidth) faults.push('cards are ' + scrollWidth + ' px wide: ' + nameOf(table));
  }
  return faults;
})()`;

const FRAME = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
/** Charts are redrawn one or two frames after their width changes. */
const FRAMES_MAX = 5;

/** The overflow of the open page at each width. The page is resized, not reloaded. */
export async function overflowOf(page: Page, widths: readonly number[] = WIDTHS): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    let found: readonly string[] = [];
    for (let frame = 0; frame < FRAMES_MAX; frame += 1) {
      await page.evaluate(FRAME);
      found = await page.evaluate<string[]>(FAULTS);
      if (found.length === 0) break;
    }
    faults.push(...found.slice(0, 5).map((fault) => `${width} px: ${fault}`));
  }
  return faults;
}
