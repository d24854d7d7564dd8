import { setImmediate } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { securityHeaders } from '../../dashboard/page/security-headers.js';
import { values } from '../../http/parameters.js';
import type { DocumentRoute } from '../../http/public-api.js';
import { CHAPTERS } from '../chapters.js';
import type { Documentation } from '../documentation.js';
import {
  findSections,
  type IndexedSection,
  QUERY_LENGTH_MAX,
  queryTermsOf,
  sectionsOf,
} from './document-search.js';
import { SEARCH_PATH } from './search-form.js';
import { SearchPage } from './search-page.js';

export type SearchParts = {
  readonly config: { readonly supportContact: string | undefined };
  readonly publicAddress: { readonly isSecure: boolean };
  readonly keyFormat: Pick<KeyFormat, 'redact'>;
};

/** GET /docs/search?q=…: the sections of all chapters that have the words. The index is made at the first search. */
export function searchRoute(parts: SearchParts, documentation: Documentation): DocumentRoute {
  let index: Promise<readonly IndexedSection[]> | undefined;
  return {
    at: SEARCH_PATH,
    get: async (ctx) => {
      index ??= indexOf(documentation).catch((fault: unknown) => {
        index = undefined; // The next search tries again.
        throw fault;
      });
      // Somebody may paste a key into the field (D19).
      const [sent = ''] = values(ctx.querystring, 'q');
      const typed = parts.keyFormat.redact(sent.slice(0, QUERY_LENGTH_MAX)).trim();
      const view = {
        typed,
        found: findSections(await index, queryTermsOf(typed)),
        support: parts.config.supportContact,
      };
      ctx.set({ ...securityHeaders(parts.publicAddress.isSecure), 'Cache-Control': 'no-store' });
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = Buffer.from(`<!doctype html>${renderToString(<SearchPage {...view} />)}`);
    },
  };
}

/** A chapter is rendered within some milliseconds, and all of them within a second: other requests are answered in between. */
async function indexOf(documentation: Documentation): Promise<readonly IndexedSection[]> {
  const sections: IndexedSection[] = [];
  for (const chapter of CHAPTERS) {
    sections.push(...sectionsOf(chapter, documentation.text(chapter).html));
    await setImmediate();
  }
  return sections;
}
