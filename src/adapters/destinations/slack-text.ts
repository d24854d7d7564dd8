import type { DeliveredMessage } from '../../domain/destinations/delivered-message.js';
import { type ItemSummary, type MarketSummary, summaryOf } from './item-summary.js';
import { clipped, oneLine } from './publisher-text.js';

/** Slack, or the endpoint of Discord for bodies of Slack, `/slack`. It takes only `text`, and no entities are assumed there. */
export type ChatApp = 'slack' | 'discord';

/**
 * Bounds of one message. Slack: 50 blocks of 3,000 characters, of which 40,000 characters need less than 30, because each two
 * neighbours have more than 3,000. Discord: 2,000 characters of text.
 */
const BOUNDS: Readonly<Record<ChatApp, { readonly characters: number; readonly sectionCharacters: number }>> =
  {
    slack: { characters: 40_000, sectionCharacters: 3_000 },
    discord: { characters: 2_000, sectionCharacters: 2_000 },
  };

const MARKETS_SHOWN = 3;
const HEADLINE_MAX = 300;
const SOURCE_MAX = 80;
const TITLE_MAX = 150;
const FACTS_MAX = 100;
const ID_MAX = 300;

/**
 * The JSON body of one message for a batch of at most 100 changes; null if there is nothing to say, because both services
 * refuse an empty message. What does not fit is counted, with a link to the feed in the dashboard.
 */
export function slackText(
  messages: readonly DeliveredMessage[],
  { app, feedUrl }: { readonly app: ChatApp; readonly feedUrl: string },
): string | null {
  const [first] = messages;
  if (first === undefined) return null;
  const sections = sectionsOf(
    messages.map((message) => entryOf(message, app, feedUrl)),
    app,
    (count) => `and ${count} more: ${link(feedUrl, 'open the feed', app)}`,
  );
  const others = messages.length === 1 ? '' : ` and ${messages.length - 1} more`;
  return bodyOf(sections, `${titleOf(first, app)}${others}`, app);
}

/** The same for a text of the service, such as that of a test. */
export const slackNote = (text: string, app: ChatApp): string => {
  const note = escaped(text, BOUNDS[app].sectionCharacters, app);
  return bodyOf([note], note, app);
};

/** Without `verbatim`, Slack would make links and mentions of plain text. Notifications show `text`. */
function bodyOf(sections: readonly string[], notification: string, app: ChatApp): string {
  if (app === 'discord') return JSON.stringify({ text: sections.join(GAP) });
  return JSON.stringify({
    text: notification,
    unfurl_links: false,
    unfurl_media: false,
    blocks: sections.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })),
  });
}

/** The entries, joined to sections within the bounds. The last line counts those that have no room. */
function sectionsOf(
  entries: readonly string[],
  app: ChatApp,
  remainder: (count: number) => string,
): readonly string[] {
  const { characters, sectionCharacters } = BOUNDS[app];
  let room = characters - remainder(entries.length).length;
  let sections: readonly string[] = [];
  for (const [i, entry] of entries.entries()) {
    room -= entry.length + GAP.length;
    if (room < 0) return appended(sections, remainder(entries.length - i), sectionCharacters);
    sections = appended(sections, entry, sectionCharacters);
  }
  return sections;
}

const GAP = '\n\n';

/** With the entry at the end of the last section, or as a new one. */
function appended(sections: readonly string[], entry: string, lengthMax: number): readonly string[] {
  const joined = [...sections.slice(-1), entry].join(GAP);
  return joined.length <= lengthMax ? [...sections.slice(0, -1), joined] : [...sections, entry];
}

function entryOf(message: DeliveredMessage, app: ChatApp, feedUrl: string): string {
  if (message.type === 'retraction') return titleOf(message, app);
  const summary = summaryOf(message.item, MARKETS_SHOWN);
  const { source, sourceLink, markets, further } = summary;
  const from = source === '' ? '' : ` (${escaped(source, SOURCE_MAX, app)})`;
  return [
    `${link(sourceLink ?? feedUrl, headlineOf(summary, app), app)}${from}`,
    ...markets.map((market) => marketLine(market, app)),
    ...(further === '' ? [] : [`• ${further}`]),
  ].join('\n');
}

const marketLine = ({ title, facts }: MarketSummary, app: ChatApp): string =>
  `• ${escaped(title, TITLE_MAX, app)}${escaped(facts, FACTS_MAX, app)}`;

const titleOf = (message: DeliveredMessage, app: ChatApp): string =>
  message.type === 'retraction'
    ? `Retracted: ${escaped(oneLine(message.id), ID_MAX, app)}`
    : headlineOf(summaryOf(message.item, 0), app);

const headlineOf = ({ headline }: ItemSummary, app: ChatApp): string => escaped(headline, HEADLINE_MAX, app);

/** Discord makes `[text](url)` of it. The text is escaped already. */
function link(url: string, text: string, app: ChatApp): string {
  const target =
    app === 'slack' ? url.replaceAll('&', '&amp;') : url.replaceAll('(', '%28').replaceAll(')', '%29');
  return `<${target}|${text}>`;
}

/**
 * What these characters would start: formats, mentions, links, and links without markup. Neither service has an escape for
 * them, so that each is replaced by one that looks like it.
 */
const SUBSTITUTES = new Map([
  ['*', '∗'],
  ['~', '∼'],
  ['`', 'ˋ'],
  ['|', '∣'],
  ['\\', '∖'],
  ['/', '∕'],
  ['@', '＠'],
  ['[', '('],
  [']', ')'],
]);

const WRITTEN: Readonly<Record<ChatApp, ReadonlyMap<string, string>>> = {
  slack: new Map([...SUBSTITUTES, ['&', '&amp;'], ['<', '&lt;'], ['>', '&gt;']]),
  discord: new Map([...SUBSTITUTES, ['&', '＆'], ['<', '‹'], ['>', '›']]),
};

/** An underscore inside a word formats nothing, and ids have it. */
const LOOSE_UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

const escaped = (text: string, lengthMax: number, app: ChatApp): string =>
  clipped(text, lengthMax, (character) => WRITTEN[app].get(character) ?? character).replace(
    LOOSE_UNDERSCORE,
    '＿',
  );
