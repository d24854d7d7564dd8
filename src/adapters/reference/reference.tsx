import { securityHeaders } from '../dashboard/page/security-headers.js';
import type { DocumentRoute } from '../http/public-api.js';
import type { Context, RouteContext, RouteHandler } from '../http/state.js';
import { getPageAsset } from './asset-route.js';
import { CHAPTERS, type Chapter, chapterPath, readChapter } from './chapters.js';
import { clientRoute } from './client-files.js';
import { Documentation, type DocumentationParts } from './documentation.js';
import { type FrontParts, frontRoute } from './front/front-route.js';
import { missingPage } from './missing-page.js';
import { ASSETS } from './page-frame.js';
import { answerRendered, rendered, renderedOnce } from './rendered.js';
import { type SearchParts, searchRoute } from './search/search-route.js';
import { type SiteParts, siteRoutes } from './site-files.js';

type ReferenceParts = DocumentationParts & FrontParts & SiteParts & SearchParts;

/** The pages and files that describe the service to everyone: rendered once, and served from memory. */
export function reference(parts: ReferenceParts) {
  const missing = missingPage(parts);
  return {
    frontRoute: frontRoute(parts),
    routes: [...chapterRoutes(parts, missing), ...siteRoutes(parts), clientRoute],
    /** Answers every path that no route has. */
    missing,
  };
}

export type Reference = ReturnType<typeof reference>;

function chapterRoutes(parts: ReferenceParts, missing: (ctx: Context) => void): readonly DocumentRoute[] {
  const documentation = new Documentation(parts);
  const pages = renderedOnce((chapter: Chapter) =>
    rendered('text/html; charset=utf-8', documentation.page(chapter)),
  );
  const texts = renderedOnce((chapter: Chapter) =>
    rendered('text/markdown; charset=utf-8', documentation.markdown(chapter)),
  );
  const answerPage = (ctx: RouteContext, chapter: Chapter): void => {
    ctx.set(securityHeaders(parts.publicAddress.isSecure));
    answerRendered(ctx, pages(chapter));
  };
  const getChapter: RouteHandler = (ctx) => {
    const named = readChapter(ctx.params['chapter'] ?? '');
    if (named === null) return missing(ctx);
    const { chapter, isMarkdown } = named;
    if (isMarkdown) return answerRendered(ctx, texts(chapter));
    if (chapterPath(chapter) === ctx.path) return answerPage(ctx, chapter);
    ctx.redirect(chapterPath(chapter));
  };
  return [
    { at: '/docs', get: (ctx) => answerPage(ctx, CHAPTERS[0]) },
    searchRoute(parts, documentation),
    { at: '/docs/:chapter', get: getChapter },
    { at: `${ASSETS}/:name`, get: getPageAsset },
  ];
}
