import type { Clock } from '../../application/ports/clock.js';
import type { Plans } from '../../domain/billing/plan.js';
import { DAY, plus, startOfDay } from '../../domain/moment.js';
import { assetBytes } from '../dashboard/assets.js';
import { answerProblem } from '../http/answer/problem.js';
import { contactText } from '../http/answer/service-links.js';
import { AUTHORSHIP, PRODUCT } from '../http/product.js';
import type { DocumentRoute } from '../http/public-api.js';
import type { RouteHandler } from '../http/state.js';
import { markdownPath } from './chapter-page.js';
import { CHAPTERS, type Chapter } from './chapters.js';
import { clientHashes, installCommands } from './client-files.js';
import { answerRendered, type Rendered, rendered, renderedOnce } from './rendered.js';
import { hasCheckout, type PaymentTerms, planTable, planTerms } from './tables/plans.js';

const TEXT = 'text/plain; charset=utf-8';
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
/** How long a `security.txt` is valid. It is written anew each day. */
const CONTACT_VALID = 90 * DAY;

export type SiteParts = {
  readonly config: {
    readonly securityContact: string | undefined;
    readonly supportContact: string | undefined;
    readonly payments: PaymentTerms;
  };
  readonly plans: Plans;
  readonly publicAddress: { readonly url: () => string };
  readonly clock: Clock;
};

/** The files that programs look for at fixed paths. */
export function siteRoutes(parts: SiteParts): readonly DocumentRoute[] {
  const { publicAddress, config, clock } = parts;
  const url = () => publicAddress.url();
  const files = renderedOnce((render: (url: string) => Rendered) => render(url()));
  const file =
    (render: (url: string) => Rendered): RouteHandler =>
    (ctx) =>
      answerRendered(ctx, files(render));
  const { securityContact } = config;
  const llmsOf = (address: string): Rendered => llms(address, parts);
  return [
    { at: '/robots.txt', get: file(robots) },
    { at: '/llms.txt', get: file(llmsOf) },
    { at: '/favicon.ico', get: file(favicon) },
    { at: '/.well-known/api-catalog', get: file(apiCatalog) },
    {
      at: '/.well-known/security.txt',
      get: (ctx) =>
        securityContact === undefined
          ? answerProblem(ctx, 'not_found', { detail: 'No contact is set (SECURITY_CONTACT).' })
          : answerRendered(ctx, securityText(securityContact, url(), clock)),
    },
  ];
}

const robots = (url: string): Rendered =>
  rendered(
    TEXT,
    [
      'User-agent: *',
      'Allow: /',
      ...['/dashboard', '/operator', '/pm/', '/mcp', '/webhooks/'].map((path) => `Disallow: ${path}`),
      '',
      `# The documentation as Markdown: ${url}/llms.txt`,
      '',
    ].join('\n'),
  );

const favicon = (): Rendered => rendered('image/svg+xml', assetBytes('icon.svg'));

/** The documentation for language models (llmstxt.org): the chapters as Markdown. */
const llms = (url: string, { config, plans }: SiteParts): Rendered => {
  const { supportContact, payments } = config;
  const entry = (chapter: Chapter) =>
    `- [${chapter.title}](${url}${markdownPath(chapter)}): ${chapter.summary}`;
  return rendered(
    TEXT,
    [
      '# Oddswire',
      '',
      `> ${PRODUCT}`,
      '',
      'An HTTP API with keys. Every item is event-driven market intelligence: not investment advice, and not a trading signal.',
      `The feed is at ${url}/pm/v2/news, each change of it at ${url}/pm/v2/stream, every change since the history was installed at ${url}/pm/v2/history, and its markets at ${url}/pm/v2/markets.`,
      `Agents have tools over MCP at ${url}/mcp. The key goes into \`Authorization: Bearer\`.`,
      AUTHORSHIP,
      ...(supportContact === undefined ? [] : [`Questions: ${contactText(supportContact)}`]),
      '',
      '## Clients',
      '',
      installCommands(url),
      '',
      clientHashes(url),
      '',
      '## Plans',
      '',
      planTerms(hasCheckout(payments)),
      '',
      planTable(plans),
      '',
      '## Documentation',
      '',
      ...CHAPTERS.map(entry),
      '',
      '## Machine-readable',
      '',
      `- [OpenAPI 3.1](${url}/openapi.json): every call with its schemas`,
      `- [Status](${url}/status): the age of the newest item`,
      '',
    ].join('\n'),
  );
};

/** RFC 9727: where to find the descriptions of the API. */
const apiCatalog = (url: string): Rendered =>
  rendered(
    LINKSET,
    JSON.stringify({
      linkset: [
        { anchor: `${url}/.well-known/api-catalog`, item: [{ href: `${url}/pm/v2/news` }] },
        {
          anchor: `${url}/pm/v2/news`,
          'service-desc': [{ href: `${url}/openapi.json`, type: 'application/json' }],
          'service-doc': [{ href: `${url}/docs`, type: 'text/html' }],
          status: [{ href: `${url}/status`, type: 'application/json' }],
        },
      ],
    }),
  );

/** RFC 9116. Valid for some months from the start of the day. */
const securityText = (contact: string, url: string, clock: Clock): Rendered =>
  rendered(
    TEXT,
    [
      `Contact: ${contact}`,
      `Expires: ${plus(startOfDay(clock()), CONTACT_VALID)}`,
      'Preferred-Languages: en',
      `Canonical: ${url}/.well-known/security.txt`,
      '',
    ].join('\n'),
  );
