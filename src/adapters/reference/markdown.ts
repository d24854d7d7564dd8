import { Marked, type Tokens } from 'marked';
import { ownValue } from '../../domain/own-value.js';
import { pathOfFile } from './chapters.js';
import { highlighted } from './highlight.js';

/** A heading of the second level, for the list of contents. */
export type Section = { readonly id: string; readonly title: string };

/** The id of the list of sections (`chapter-page.tsx`). No heading has it. */
export const SECTIONS_ID = 'on-this-page';

const LINK_TO_SECTIONS = `<p class="to-sections"><a href="#${SECTIONS_ID}">On this page</a></p>\n`;

export type RenderedText = {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly html: string;
};

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  text: 'Text',
  python: 'Python',
  json: 'JSON',
};

const languageOf = (code: string, lang: string): string =>
  lang === 'sh' && code.startsWith('curl ') ? 'curl' : (ownValue(LANGUAGES, lang) ?? 'Text');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** `### \`key_missing\`` has the id `key_missing`, and *What you can rely on* has `what-you-can-rely-on`. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** The HTML of a Markdown text of our own. The first heading is the title of the page and is not part of the HTML. */
export function renderMarkdown(text: string): RenderedText {
  let title = '';
  const sections: Section[] = [];
  let samples = 0;
  const used = new Map<string, number>();
  /** A heading that occurs again gets a number. */
  const uniqueId = (heading: string): string => {
    const id = idOf(heading);
    const count = (used.get(id) ?? 0) + 1;
    used.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) {
          title = heading;
          return '';
        }
        const id = uniqueId(heading);
        const before = depth === 2 && sections.length > 0 ? LINK_TO_SECTIONS : '';
        if (depth === 2) sections.push({ id, title: heading.replaceAll('`', '') });
        return `${before}<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(heading.replaceAll('`', ''))}">#</a></h${depth}>\n`;
      },
      code({ text: code, lang = '' }) {
        samples += 1;
        return codeBlock(highlighted(code, lang), languageOf(code, lang), `sample-${samples}`);
      },
      link({ href, tokens }) {
        const [file = '', fragment] = href.split('#');
        const path = file === '' ? '' : file.includes(':') ? file : (pathOfFile(file) ?? file);
        const target = fragment === undefined ? path : `${path}#${fragment}`;
        return `<a href="${escaped(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
      table({ header, rows }) {
        const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        return cardTable(
          header.map((cell) => capitalized(inline(cell))),
          rows.map((row) => row.map(inline)),
        );
      },
    },
  });
  const html = withTabs(marked.parse(text, { async: false }));
  return { title, sections, html: sections.length < 2 ? html : `${html}${LINK_TO_SECTIONS}` };
}

/** Samples one after the other, which are the same in several languages: a script shows one of them (`browser/language-tabs.ts`). */
const withTabs = (html: string): string =>
  html.replaceAll(/(?:<figure class="sample"[^>]*>(?:(?!<\/figure>).)*<\/figure>\n){2,}/gs, (samples) => {
    const languages = [...samples.matchAll(/ data-language="(\w+)"/g)].map(([, language]) => language);
    const areDistinct = new Set(languages).size === languages.length;
    return areDistinct ? `<div class="samples" data-samples>\n${samples}</div>\n` : samples;
  });

/** A sample outside of a Markdown text. */
export const sampleOf = (code: string, lang: string, id: string): string =>
  codeBlock(highlighted(code, lang), languageOf(code, lang), id);

/** A sample with its language and a button that a script shows (`browser/copy.ts`). */
const codeBlock = (html: string, language: string, id: string): string =>
  `<figure class="sample" data-language="${language}"><figcaption>${language}<button type="button" class="plain" data-copies="${id}" aria-label="Copy ${language}" hidden>Copy</button></figcaption>` +
  `<pre tabindex="0"><code id="${id}">${html}</code></pre></figure>\n`;

/** The head of a column begins with a capital, but not a name in code. */
const capitalized = (html: string): string => html.replace(/^[a-z]/, (first) => first.toUpperCase());

const withoutTags = (html: string): string => html.replaceAll(/<[^>]*>/g, '');

/**
 * A table that becomes cards on a phone, like those of the dashboard (`dashboard/page/card-table.tsx`). One that is wider
 * than the text scrolls inside its container.
 */
function cardTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = header.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows
    .map(([first = '', ...others]) => {
      const cells = others.map((cell, i) =>
        cell === ''
          ? '<td class="empty"></td>'
          : `<td data-column="${withoutTags(header[i + 1] ?? '')}"><div>${cell}</div></td>`,
      );
      return `<tr><th scope="row">${first}</th>${cells.join('')}</tr>`;
    })
    .join('\n');
  return `<div class="wide-content"><table class="cards"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>\n`;
}
