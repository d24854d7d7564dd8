import fc from 'fast-check';
import type { DeliveredMessage } from '../../../src/domain/destinations/delivered-message.js';
import type { PositionToken } from '../../../src/domain/feed/position.js';
import type { StoredItem } from '../../../src/domain/feed/stored-item.js';
import { NOON } from './builders.js';

/** What a publisher could send to make a reader show, link or run something else. */
const ATTACKS = [
  ...['<!channel>', '<!here|x>', '<@U123>', '<#C1|x>', '@everyone', '@here', '&lt;@123&gt;', '&amp;lt;'],
  ...['<https://evil.example|y>', '[x](https://evil.example)', 'https://evil.example/a', 'discord.gg/evil'],
  ...['*b*', '_i_', '__u__', '~s~', '`c`', '```', '||s||', '\\', '> q', '# h', '|', '>', ']('],
  ...['</title>', '<script>alert(1)</script>', '"', "'", ' onload="x"', '-->', ']]>', '<![CDATA[', '&#0;'],
  ...['\r\nBcc: eve@evil.example\r\n', '\n\n', '\t', '\u0000', '\u0008', '\u001b[31m', '\u007f', '\u0085'],
  ...['\u200b', '\u200d', '\u2028', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u3164', '\ud800', '\uffff'],
  ...['Fed', 'Zürich', '👍🏽', ' ', 'ne_1'],
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...ATTACKS), { maxLength: 8 }).map((texts) => texts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom(...ATTACKS).map((text) => text.repeat(900)) },
);

export const SOURCE_LINK = 'https://news.example/a_(b)?c=1&d=*2*';

const hostileLink = fc.oneof(
  fc.constantFrom(
    SOURCE_LINK,
    'javascript:alert(1)',
    'https://user@evil.example',
    'https://evil.example/|<x>',
  ),
  fc.constantFrom(`https://evil.example/${'a'.repeat(3_000)}`, null),
  hostileText,
);

const hostileSub = fc.record(
  {
    sub_market_id: hostileText,
    sub_market_title: hostileText,
    market_url: hostileLink.map((link) => link ?? ''),
    news_effect: fc.record({ effect: hostileText, affected_outcome: hostileText }, { requiredKeys: [] }),
    market_snapshot: fc.record({ yes_ask: fc.double({ min: 0, max: 1, noNaN: true }) }),
    momentum: fc.record({ pre_move_pp: fc.double({ min: -100, max: 100, noNaN: true }) }),
  },
  { requiredKeys: [] },
);

/** Another version may have stored it, so that any part of it can be absent. */
export const hostileItem: fc.Arbitrary<StoredItem> = fc.record(
  {
    news_event: fc.record(
      {
        id: hostileText,
        headline: hostileText,
        source_name: hostileText,
        source_news_url: hostileLink,
        short_context: hostileText,
        feed_categories: fc.array(hostileText, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    related_markets: fc.array(
      fc.record({ sub_markets: fc.array(hostileSub, { maxLength: 5 }) }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

const change = { position: 'p' as PositionToken, known_at: NOON };

export const delivered = (item: StoredItem): DeliveredMessage => ({
  ...change,
  type: 'item',
  scored_at: NOON,
  item,
});

export const retracted = (id: string): DeliveredMessage => ({ ...change, type: 'retraction', id });

export const hostileMessages = (maxLength: number): fc.Arbitrary<readonly DeliveredMessage[]> =>
  fc.array(fc.oneof({ weight: 4, arbitrary: hostileItem.map(delivered) }, hostileText.map(retracted)), {
    minLength: 1,
    maxLength,
  });

/** The links of an item that may be shown: those to its sources, and to the markets if these are linked. */
export const mayBeLinked = (messages: readonly DeliveredMessage[], link: string): boolean => {
  const { protocol, username } = new URL(link);
  const text = JSON.stringify(messages);
  return /^https?:$/.test(protocol) && username === '' && text.includes(`_url":${JSON.stringify(link)}`);
};
