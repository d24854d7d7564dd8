import { readFileSync } from 'node:fs';
import type { Chapter } from './chapters.js';

/** The compiled program has the documents beside its code (`scripts/setup.mjs`). */
const DOCUMENTS = new URL('../../../docs/', import.meta.url);
const EXAMPLES = new URL('../../../examples/', import.meta.url);

/** The addresses and the key prefix in the texts, as readers of the repository see them. */
const EXAMPLE_ADDRESSES = /https:\/\/api\.example\.com|http:\/\/localhost:8080/g;
const EXAMPLE_PREFIX = /\bsvc_(?=[…'"`\]]|test_|<|$)/gm;

const MARKER = /^<!-- ([\w:.-]+) -->$/gm;

/** A program of `examples`, such as `<!-- example:follow -->` or `<!-- example:prices.py -->`. It is stored once, where a test runs it. */
const EXAMPLE = /^example:([\w-]+?)(\.py)?$/;

/** What replaces a marker such as `<!-- problems -->`; null leaves the marker where it is. */
export type Generated = (marker: string) => string | null;

/** The Markdown of a chapter for this installation: with its own address and prefix, and with the generated parts. */
export function chapterText(
  { file }: Chapter,
  settings: { readonly publicUrl: string; readonly keyPrefix: string },
  generated: Generated,
): string {
  const text = readFileSync(new URL(file, DOCUMENTS), 'utf8');
  return text
    .replaceAll(MARKER, (marker: string, name: string) => exampleText(name) ?? generated(name) ?? marker)
    .replaceAll(EXAMPLE_ADDRESSES, settings.publicUrl)
    .replaceAll(EXAMPLE_PREFIX, settings.keyPrefix);
}

function exampleText(marker: string): string | null {
  const [, name, ending = '.ts'] = EXAMPLE.exec(marker) ?? [];
  if (name === undefined) return null;
  const language = ending === '.py' ? 'python' : 'ts';
  return `\`\`\`${language}\n${readFileSync(new URL(name + ending, EXAMPLES), 'utf8')}\`\`\``;
}
