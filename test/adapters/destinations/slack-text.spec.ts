import { expect } from 'chai';
import fc from 'fast-check';
import { type ChatApp, slackNote, slackText } from '../../../src/adapters/destinations/slack-text.js';
import type { DeliveredMessage } from '../../../src/domain/destinations/delivered-message.js';
import type { StoredItem } from '../../../src/domain/feed/stored-item.js';
import { market, publication, runs, subMarket } from '../../support/objects/builders.js';
import { delivered, hostileMessages, mayBeLinked, retracted } from '../../support/objects/hostile-items.js';

const FEED = 'https://oddswire.example/dashboard/feed';

type Body = {
  readonly text: string;
  readonly blocks?: readonly { readonly text: { readonly text: string; readonly verbatim: boolean } }[];
};

const bodyOf = (messages: readonly DeliveredMessage[], app: ChatApp): Body =>
  JSON.parse(slackText(messages, { app, feedUrl: FEED }) ?? expect.fail('no message')) as Body;

const textsOf = ({ text, blocks = [] }: Body): readonly string[] => [
  text,
  ...blocks.map((block) => block.text.text),
];

/** Reads a text as the apps do: entities stand for characters, and everything in angle brackets is a command. */
function parsed(text: string) {
  const commands = [...text.matchAll(/<([^>]*)>/g)].map(([, command = '']) => command);
  const links = commands
    .filter((command) => /^https?:\/\//.test(command))
    .map((command) => command.split('|'));
  const rest = text.replace(/<[^>]*>/g, (command) => command.split('|')[1]?.replace(/>$/, '') ?? '');
  const shown = rest.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return {
    commands: commands.filter((command) => !/^https?:\/\//.test(command)),
    links: links.map(([url = '']) => url.replaceAll('&amp;', '&')),
    // A link has one text, without another link, a command or a line in it.
    brokenLinks: links.filter((fields) => fields.length !== 2 || /[<>[\]\n]/.test(fields[1] ?? '')),
    mentions: rest.match(/@(?:everyone|here|channel)|[<@#]\w*(?:&lt;|<)[!@#]/g) ?? [],
    formats: rest.match(/[*~`|\\[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:\/\/|discord\.gg\//gu) ?? [],
    hidden: shown.match(/[\p{Cf}\p{Cs}]|(?!\n)\p{Cc}|\u2028/gu) ?? [],
    raw: rest.match(/[<>]/g) ?? [],
  };
}

const NOTHING = { commands: [], brokenLinks: [], mentions: [], formats: [], hidden: [], raw: [] };
/** The link of the publisher of which this is one for Discord, where a bracket would end a link. */
const sent = (link: string, app: ChatApp): string =>
  app === 'slack' ? link : link.replaceAll('%28', '(').replaceAll('%29', ')');

describe('A message for Slack and Discord', () => {
  const item = (id = 'ne_1', ...subs: readonly string[]): StoredItem =>
    ({
      ...publication({ id, related_markets: [market('m', ...subs.map((sub) => subMarket(sub)))] }),
    }) as StoredItem;

  it('has headline, source and up to three markets with price, move and effect', () => {
    const { blocks = [], text } = bodyOf([delivered(item('ne_1', 'a', 'b', 'c', 'd'))], 'slack');
    expect(text).to.equal('Talks resume');
    expect(blocks[0]?.text.verbatim).to.equal(true);
    expect(blocks.map((block) => block.text.text)).to.deep.equal([
      [
        '<https://news.example/ne_1|Talks resume> (The Wire)',
        '• Will a happen? – Yes 61.0¢, +2.5 pp before the news, supports Yes',
        '• Will b happen? – Yes 61.0¢, +2.5 pp before the news, supports Yes',
        '• Will c happen? – Yes 61.0¢, +2.5 pp before the news, supports Yes',
        '• and 1 more market',
      ].join('\n'),
    ]);
    expect(Object.keys(bodyOf([delivered(item())], 'discord'))).to.deep.equal(['text']);
  });

  it('says what was retracted, and links a headline without a source link to the feed', () => {
    const { text } = bodyOf(
      [retracted('ne_halvex-agreement'), delivered({ news_event: { headline: 'H' } })],
      'discord',
    );
    expect(text).to.equal(`Retracted: ne_halvex-agreement\n\n<${FEED}|H>`);
  });

  it('says nothing for an empty batch, because both services refuse an empty message', () => {
    expect(slackText([], { app: 'slack', feedUrl: FEED })).to.equal(null);
  });

  it('is shortened to the bounds of the service, counts what is left out, and links to the feed', () => {
    const long = delivered({ news_event: { headline: '&'.repeat(400), source_name: '&'.repeat(100) } });
    const many = Array.from({ length: 100 }, () => long);
    const discord = bodyOf(many, 'discord').text;
    expect(discord).to.match(
      /\n\nand 9\d more: <https:\/\/oddswire\.example\/dashboard\/feed\|open the feed>$/,
    );
    const { blocks = [] } = bodyOf(many, 'slack');
    const texts = blocks.map(({ text }) => text.text);
    expect(texts.filter(({ length }) => length > 3_000)).to.deep.equal([]);
    const shown = texts.join().split('|&amp;').length - 1;
    expect(texts.at(-1)).to.include(`\n\nand ${100 - shown} more: <${FEED}|`);
    expect(shown).to.be.within(60, 99);
  });

  for (const app of ['slack', 'discord'] as const) {
    it(`has no mention, no format and no link of a publisher, and keeps the bounds: ${app}`, () => {
      fc.assert(
        fc.property(hostileMessages(100), (messages) => {
          const body = bodyOf(messages, app);
          for (const text of textsOf(body)) {
            const { links, ...found } = parsed(text);
            expect(found).to.deep.equal(NOTHING);
            expect(
              links.filter((link) => link !== FEED && !mayBeLinked(messages, sent(link, app))),
            ).to.deep.equal([]);
            expect(text.length).to.be.within(1, app === 'slack' ? 3_000 : 2_000);
          }
          const blocks = body.blocks ?? [];
          expect(blocks.length).to.be.at.most(50);
          expect(blocks.reduce((sum, { text }) => sum + text.text.length, 0)).to.be.at.most(40_000);
        }),
        runs(200),
      );
    });
  }

  it('can be a note of the service', () => {
    expect(JSON.parse(slackNote('This is a test of <x>.', 'discord'))).to.deep.equal({
      text: 'This is a test of ‹x›.',
    });
    expect(JSON.parse(slackNote('A test', 'slack'))).to.have.nested.property('blocks[0].text.text', 'A test');
  });
});
