import { expect } from 'chai';

/** Expects basic accessibility of a page, as far as its HTML shows it without a browser. */
export function expectUsable(path: string, html: string): void {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, found]) => found ?? '');
  expect(html.length, path).to.be.lessThan(100_000);
  const ids = all(/ id="([^"]+)"/g);
  expect(ids, path).to.deep.equal([...new Set(ids)]);
  for (const named of all(/ aria-(?:describedby|labelledby)="([^"]+)"/g).flatMap((list) => list.split(' '))) {
    expect(ids, path).to.include(named);
  }
  const labelled = all(/<label for="([^"]+)"/g);
  const controls = [...html.matchAll(/<(?:input|textarea|select)[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !tag.includes('type="hidden"'));
  for (const tag of controls) expect(labelled, `${path} ${tag}`).to.include(/ id="([^"]+)"/.exec(tag)?.[1]);
  const levels = all(/<h([1-6])/g).map(Number);
  expect(levels[0], path).to.equal(1);
  levels.forEach((level, i) => {
    expect(level, path).to.be.at.most((levels[i - 1] ?? 0) + 1);
  });
  expect(all(/<table[^>]*>(.{9})/g), path).to.satisfy((starts: readonly string[]) =>
    starts.every((start) => start === '<caption>'),
  );
  expect(html.match(/<th(?! scope=)[ >]/g), path).to.equal(null);
  expect(html.match(/<main/g), path).to.have.length(1);
  expect(html.match(/ style=|<style|<script(?![^>]* src=)/g), path).to.equal(null);
}
