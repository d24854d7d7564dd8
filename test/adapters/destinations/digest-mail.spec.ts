import { expect } from 'chai';
import fc from 'fast-check';
import { digestMail } from '../../../src/adapters/destinations/digest-mail.js';
import type { DeliveredMessage } from '../../../src/domain/destinations/delivered-message.js';
import type { StoredItem } from '../../../src/domain/feed/stored-item.js';
import { publication, runs } from '../../support/objects/builders.js';
import { delivered, hostileMessages, mayBeLinked, retracted } from '../../support/objects/hostile-items.js';

const LINKS = {
  feedUrl: 'https://oddswire.example/dashboard/feed',
  unsubscribeUrl: 'https://oddswire.example/unsubscribe?token=t&x=1',
};
const mailOf = (...messages: readonly DeliveredMessage[]) => digestMail({ ...LINKS, messages });
const item = delivered(publication() as StoredItem);

/** The elements that the template has; attributes of links only. */
const TAGS =
  /<!doctype html>|<\/?(?:html|head|title|body|h2|p|ul|li|a|hr)>|<html lang="en">|<meta charset="utf-8">|<a href="([^"<>]*)">/g;

describe('An email with the changes of a batch', () => {
  it('has each item with its source, context and markets, as text and as HTML', () => {
    const { subject, text, html } = mailOf(item, retracted('ne_2'));
    expect(subject).to.equal('Oddswire: Talks resume and 1 more');
    expect(text).to.include(
      [
        'Talks resume',
        'The Wire: https://news.example/ne_1',
        'Short.',
        '- Will s1 happen? – Yes 61.0¢, +2.5 pp before the news, supports Yes',
        '',
        'Retracted: ne_2',
      ].join('\n'),
    );
    expect(html)
      .to.include('<h2><a href="https://news.example/ne_1">Talks resume</a></h2>')
      .and.include('<li><a href="https://markets.example/s1">Will s1 happen?</a> – Yes 61.0¢')
      .and.include('<p>Retracted: ne_2</p>');
  });

  it('can be unsubscribed with one click, by its headers and by its links (RFC 8058)', () => {
    const { headers, text, html } = mailOf(item);
    expect(headers).to.deep.equal({
      'List-Unsubscribe': `<${LINKS.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(text).to.include(`Unsubscribe: ${LINKS.unsubscribeUrl}\n`);
    expect(html).to.include('<a href="https://oddswire.example/unsubscribe?token=t&amp;x=1">Unsubscribe</a>');
  });

  it('shows at most 500 changes, and counts the others', () => {
    const { text, html } = mailOf(...Array.from({ length: 502 }, (_, i) => retracted(`ne_${i}`)));
    expect(text.match(/^Retracted: /gm)).to.have.length(500);
    expect(text).to.include(`and 2 more: ${LINKS.feedUrl}`);
    expect(html).to.include(`<a href="${LINKS.feedUrl}">and 2 more</a>`);
  });

  it('has no markup and no link of a publisher, and a subject in one line', () => {
    fc.assert(
      fc.property(hostileMessages(20), (messages) => {
        const { subject, text, html } = mailOf(...messages);
        expect(subject).to.match(/^Oddswire: [^\p{Cc}\p{Cf}\p{Cs}\u2028]{1,160}$/u);
        const links = [...html.matchAll(TAGS)].flatMap(([, link]) => link?.replaceAll('&amp;', '&') ?? []);
        const own = new Set(Object.values(LINKS));
        expect(links.filter((link) => !own.has(link) && !mayBeLinked(messages, link))).to.deep.equal([]);
        expect(html.replace(TAGS, '')).not.to.match(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
        expect(text).not.to.match(/(?!\n)\p{Cc}|[\p{Cf}\p{Cs}\u2028]/u);
      }),
      runs(200),
    );
  });
});
