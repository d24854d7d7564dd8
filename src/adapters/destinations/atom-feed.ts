import type { StoredItem } from '../../domain/feed/stored-item.js';
import type { Moment } from '../../domain/moment.js';
import { type MarketSummary, summaryOf } from './item-summary.js';
import { type Markup, markup } from './markup.js';
import { clipped, oneLine } from './publisher-text.js';

/** A feed of a filter. Everything in it but the items is a text of the service or of its account holder. */
export type AtomSource = {
  /** Stable, and unlike `selfUrl` no secret: readers recognise the feed by it. */
  readonly id: string;
  /** The address of the feed itself. */
  readonly selfUrl: string;
  /** The feed in the dashboard, for people. Its host is in the ids of the entries. */
  readonly feedUrl: string;
  readonly title: string;
  readonly updated: Moment;
  /** Newest first. */
  readonly items: readonly AtomItem[];
};

export type AtomItem = {
  readonly id: string;
  readonly scored_at: Moment;
  /** The time of its last change, where the caller has one. */
  readonly known_at: Moment | null;
  readonly item: StoredItem;
};

const MARKETS_SHOWN = 10;
const TITLE_MAX = 500;
const CONTEXT_MAX = 5_000;

/** An Atom document (RFC 4287). */
export const atomFeed = (source: AtomSource): string =>
  markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${tagOf(source.feedUrl, 'feed', source.id)}</id>
<title>${oneLine(source.title)}</title>
<updated>${source.updated}</updated>
<author><name>Oddswire</name></author>
<link rel="self" type="application/atom+xml" href="${source.selfUrl}"/>
<link rel="alternate" type="text/html" href="${source.feedUrl}"/>
${source.items.map((item) => entryOf(item, source.feedUrl))}</feed>
`.toString();

function entryOf({ id, scored_at, known_at, item }: AtomItem, feedUrl: string): Markup {
  const summary = summaryOf(item, MARKETS_SHOWN);
  return markup`<entry>
<id>${tagOf(feedUrl, 'news', id)}</id>
<title>${clipped(summary.headline, TITLE_MAX)}</title>
<updated>${known_at ?? scored_at}</updated>
${authorOf(summary.source)}<link rel="alternate" href="${summary.sourceLink ?? feedUrl}"/>
${categoriesOf(item)}<content type="html">${contentOf(item).toString()}</content>
</entry>
`;
}

/** Without an author of its own, an entry has that of the feed. */
const authorOf = (source: string): Markup =>
  source === '' ? markup`` : markup`<author><name>${source}</name></author>\n`;

const categoriesOf = ({ news_event }: StoredItem): readonly Markup[] =>
  (news_event?.feed_categories ?? [])
    .map(oneLine)
    .filter((category) => category !== '')
    .map((category) => markup`<category term="${category}"/>\n`);

/** HTML, which is escaped once more where it is the text of an element. */
function contentOf(item: StoredItem): Markup {
  const { context, markets, further } = summaryOf(item, MARKETS_SHOWN);
  const list = [
    ...markets.map((market) => markup`<li>${marketOf(market)}</li>`),
    ...(further === '' ? [] : [markup`<li>${further}</li>`]),
  ];
  return markup`<p>${clipped(context, CONTEXT_MAX)}</p>${list.length === 0 ? '' : markup`<ul>${list}</ul>`}`;
}

const marketOf = ({ title, link, facts }: MarketSummary): Markup =>
  link === null ? markup`${title}${facts}` : markup`<a href="${link}">${title}</a>${facts}`;

/**
 * A tag URI (RFC 4151): stable for the same id on the same host, whatever the address of the entry is. It needs a date on
 * which the host belonged to the service; each installation has this one.
 */
const tagOf = (feedUrl: string, kind: 'feed' | 'news', id: string): string =>
  `tag:${new URL(feedUrl).hostname},2026:${kind}/${encodeURIComponent(id.replace(/\p{Cs}/gu, '\uFFFD'))}`;
