import { renderToString } from 'preact-render-to-string';
import type { Plans } from '../../domain/billing/plan.js';
import { ownValue } from '../../domain/own-value.js';
import { problemReferences } from '../http/answer/service-links.js';
import { type DocumentSettings, documentSettings } from '../http/openapi/document.js';
import { exampleItem } from '../http/openapi/examples/example-item.js';
import { publicDocument } from '../http/openapi/public-document.js';
import { AUTHORSHIP } from '../http/product.js';
import { ChapterPage } from './chapter-page.js';
import { chapterText, type Generated } from './chapter-text.js';
import { type Chapter, chapterOfFile } from './chapters.js';
import { clientHashes, installCommands } from './client-files.js';
import { type RenderedText, renderMarkdown } from './markdown.js';
import { fieldEntries } from './tables/fields.js';
import { operationEntries, type Paths } from './tables/operations.js';
import { hasCheckout, type PaymentTerms, planTable, planTerms } from './tables/plans.js';
import { problemEntries, sampleProblem } from './tables/problems.js';
import type { Schema } from './tables/schema-text.js';
import { callForm, keyField } from './try-it.js';

export type DocumentationParts = Parameters<typeof documentSettings>[0] & {
  readonly config: {
    readonly keyPrefix: string;
    readonly supportContact: string | undefined;
    readonly payments: PaymentTerms;
  };
  readonly plans: Plans;
};

type Document = {
  readonly paths: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const MARKERS = /^<!-- [\w:-]+ -->\n+/gm;

const LINKED_FILES = /\]\(([\w./-]+\.md)/g;

/** The texts of all chapters for this installation, as Markdown and as pages. */
export class Documentation {
  readonly #parts: DocumentationParts;

  constructor(parts: DocumentationParts) {
    this.#parts = parts;
  }

  /** Without the markers of the forms, which only the page has. Links to chapters lead to their Markdown. */
  markdown(chapter: Chapter): string {
    const text = this.#text(chapter).replaceAll(MARKERS, '');
    return text.replaceAll(LINKED_FILES, (link: string, file: string) => {
      const linked = chapterOfFile(file);
      return linked === null ? link : `](${linked.slug}.md`;
    });
  }

  /** As HTML, with the markers of the forms. */
  text(chapter: Chapter): RenderedText {
    return renderMarkdown(this.#text(chapter));
  }

  page(chapter: Chapter): string {
    const { paths } = this.#document();
    const forms = new Map(
      Object.entries(paths).map(([path, { get }]) => [get.operationId, callForm(path, get)]),
    );
    const text = this.text(chapter);
    const html = text.html
      .replace('<!-- try-key -->', keyField)
      .replaceAll(/<!-- try:(\w+) -->/g, (_, operationId: string) => forms.get(operationId) ?? '');
    const { publicUrl } = this.#settings();
    const { supportContact: support } = this.#parts.config;
    const view = { chapter, text: { ...text, html }, publicUrl, support };
    return `<!doctype html>${renderToString(<ChapterPage {...view} />)}`;
  }

  #text(chapter: Chapter): string {
    const { keyPrefix } = this.#parts.config;
    return chapterText(chapter, { publicUrl: this.#settings().publicUrl, keyPrefix }, this.#generated());
  }

  #generated(): Generated {
    const document = this.#document();
    const references = problemReferences(this.#parts, 'public');
    const { plans, config } = this.#parts;
    const { publicUrl } = this.#settings();
    const texts: Readonly<Record<string, () => string>> = {
      sample: sampleText,
      install: () => installCommands(publicUrl),
      'install:npm': () => installCommands(publicUrl, 'tgz'),
      'install:pip': () => installCommands(publicUrl, 'whl'),
      clients: () => clientHashes(publicUrl),
      plans: () => planTable(plans),
      'plan-terms': () => planTerms(hasCheckout(config.payments)),
      authorship: () => AUTHORSHIP,
      problem: () => sampleProblem(references),
      problems: problemEntries,
      fields: () => fieldEntries(document.components.schemas),
      operations: () => operationEntries(document.paths),
    };
    return (marker) => ownValue(texts, marker)?.() ?? null;
  }

  #settings(): DocumentSettings {
    return documentSettings(this.#parts);
  }

  #document(): Document {
    return publicDocument(this.#settings()) as unknown as Document;
  }
}

/** The sample item with its first question only, and of each part the fields that a reader meets first. */
function sampleText(): string {
  const { news_event, related_markets } = exampleItem();
  const { id, headline } = news_event;
  const [{ main_market, sub_markets: [sub] = [] } = {}] = related_markets;
  const { sub_market_id, sub_market_title, news_effect: effect, market_snapshot: prices } = sub ?? {};
  const market = { main_market: { market_title: main_market?.market_title } };
  const news_effect = { affected_outcome: effect?.affected_outcome, effect: effect?.effect };
  const market_snapshot = { yes_ask: prices?.yes_ask, no_ask: prices?.no_ask };
  const question = { sub_market_id, sub_market_title, news_effect, market_snapshot };
  const item = { news_event: { id, headline }, related_markets: [{ ...market, sub_markets: [question] }] };
  const json = JSON.stringify({ items: [item], next_cursor: null }, null, 2);
  return `\`\`\`json\n${withShortObjects(json)}\n\`\`\``;
}

const LINE = 80;

/** The same JSON with each innermost object on one line, if it fits. */
const withShortObjects = (json: string): string =>
  json.replaceAll(/\{[^{}]*\}/g, (object) => {
    const line = object.replaceAll(/\n\s*/g, ' ');
    return line.length > LINE ? object : line;
  });
