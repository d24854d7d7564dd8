import type { Digest } from '../../application/ports/destinations/mail-digest.js';
import type { DeliveredMessage } from '../../domain/destinations/delivered-message.js';
import { type ItemSummary, type MarketSummary, summaryOf } from './item-summary.js';
import { type Markup, markup } from './markup.js';
import { clipped, oneLine } from './publisher-text.js';

export type DigestMail = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** The changes that one email shows. Further ones are counted. */
const CHANGES_MAX = 500;
const MARKETS_SHOWN = 3;
const SUBJECT_MAX = 120;
const HEADLINE_MAX = 300;
const CONTEXT_MAX = 500;
const SOURCE_MAX = 80;
const TITLE_MAX = 200;
const ID_MAX = 256;

/** The email for a batch with at least one change. */
export function digestMail({ messages, feedUrl, unsubscribeUrl }: Digest): DigestMail {
  const shown = messages.slice(0, CHANGES_MAX);
  const entries = shown.map(entryOf);
  const subject = subjectOf(messages);
  const further = messages.length - shown.length;
  const more = further > 0 ? `and ${further} more` : null;
  return {
    subject,
    text: [
      ...entries.map(textOf),
      ...(more === null ? [] : [`${more}: ${feedUrl}`]),
      `-- \n${REASON}\nUnsubscribe: ${unsubscribeUrl}\n`,
    ].join('\n\n'),
    html: htmlOf({ subject, entries, more, feedUrl, unsubscribeUrl }).toString(),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const REASON =
  'You get these emails because this address is a destination of an Oddswire account. Prices are those of the time of scoring.';

type Entry =
  | ({ readonly kind: 'item' } & ItemSummary)
  | { readonly kind: 'retraction'; readonly title: string };

function entryOf(message: DeliveredMessage): Entry {
  if (message.type === 'retraction') return { kind: 'retraction', title: titleOf(message) };
  const summary = summaryOf(message.item, MARKETS_SHOWN);
  return {
    ...summary,
    kind: 'item',
    headline: clipped(summary.headline, HEADLINE_MAX),
    source: clipped(summary.source, SOURCE_MAX),
    context: clipped(summary.context, CONTEXT_MAX),
  };
}

const titleOf = (message: DeliveredMessage): string =>
  message.type === 'retraction'
    ? `Retracted: ${clipped(oneLine(message.id), ID_MAX)}`
    : summaryOf(message.item, 0).headline;

function subjectOf([first, ...others]: readonly DeliveredMessage[]): string {
  const title = first === undefined ? 'No changes' : clipped(titleOf(first), SUBJECT_MAX);
  return `Oddswire: ${title}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function textOf(entry: Entry): string {
  if (entry.kind === 'retraction') return entry.title;
  const { headline, source, context, sourceLink, markets, further } = entry;
  return [
    headline,
    [source, sourceLink].filter(Boolean).join(': '),
    context,
    ...markets.map((market) => `- ${marketText(market)}`),
    further === '' ? '' : `- ${further}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

const marketText = ({ title, facts }: MarketSummary): string => `${clipped(title, TITLE_MAX)}${facts}`;

const htmlOf = (parts: {
  readonly subject: string;
  readonly entries: readonly Entry[];
  readonly more: string | null;
  readonly feedUrl: string;
  readonly unsubscribeUrl: string;
}): Markup => markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${parts.subject}</title></head>
<body>
${parts.entries.map(entryHtml)}${parts.more === null ? '' : markup`<p><a href="${parts.feedUrl}">${parts.more}</a></p>\n`}<hr>
<p>${REASON} <a href="${parts.unsubscribeUrl}">Unsubscribe</a></p>
</body></html>
`;

function entryHtml(entry: Entry): Markup {
  if (entry.kind === 'retraction') return markup`<p>${entry.title}</p>\n`;
  const { headline, source, context, sourceLink, markets, further } = entry;
  const items = [
    ...markets.map((market) => markup`<li>${marketHtml(market)}</li>`),
    ...(further === '' ? [] : [markup`<li>${further}</li>`]),
  ];
  return markup`<h2>${linked(headline, sourceLink)}</h2>
<p>${source}</p>
<p>${context}</p>
${items.length === 0 ? '' : markup`<ul>${items}</ul>\n`}`;
}

const marketHtml = ({ title, link, facts }: MarketSummary): Markup =>
  markup`${linked(clipped(title, TITLE_MAX), link)}${facts}`;

const linked = (text: string, link: string | null): Markup =>
  link === null ? markup`${text}` : markup`<a href="${link}">${text}</a>`;
