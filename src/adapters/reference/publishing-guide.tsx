import { readFileSync } from 'node:fs';
import { renderToString } from 'preact-render-to-string';
import { securityHeaders } from '../dashboard/page/security-headers.js';
import type { DocumentRoute } from '../http/public-api.js';
import { getPageAsset } from './asset-route.js';
import { renderMarkdown } from './markdown.js';
import { ASSETS, PageHead } from './page-frame.js';
import { answerRendered, rendered, renderedOnce } from './rendered.js';

/** The compiled program has the documents beside its code (`scripts/setup.mjs`). */
const GUIDE = new URL('../../../docs/reference/publishing.md', import.meta.url);

/** The guide for publishers, on the internal listener: a page, and the same text as Markdown. Its links to pages for readers lead to `publicUrl`, the others to this listener. */
export function publishingGuide(publicUrl: () => string): readonly DocumentRoute[] {
  const texts = renderedOnce((form: 'page' | 'markdown') => {
    const text = readFileSync(GUIDE, 'utf8')
      .replaceAll('https://api.example.com', publicUrl())
      .replaceAll('](http://127.0.0.1:8081/', '](/');
    return form === 'markdown'
      ? rendered('text/markdown; charset=utf-8', text)
      : rendered('text/html; charset=utf-8', page(text));
  });
  return [
    {
      at: '/docs/publishing',
      get: (ctx) => {
        ctx.set(securityHeaders(false));
        answerRendered(ctx, texts('page'));
      },
    },
    { at: '/docs/publishing.md', get: (ctx) => answerRendered(ctx, texts('markdown')) },
    { at: `${ASSETS}/:name`, get: getPageAsset },
  ];
}

function page(markdown: string): string {
  const { title, html } = renderMarkdown(markdown);
  const view = { title: `${title} · Oddswire`, summary: 'How programs publish news to the feed.' };
  return `<!doctype html>${renderToString(
    <html lang="en">
      <PageHead {...view} markdown="/docs/publishing.md" modules={['copy.js']} />
      <body class="public">
        <div class="book">
          <main id="content">
            <h1>{title}</h1>
            <article class="prose" dangerouslySetInnerHTML={{ __html: html }} />
          </main>
        </div>
      </body>
    </html>,
  )}`;
}
