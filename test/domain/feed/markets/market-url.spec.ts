import { expect } from 'chai';
import { readMarketUrl, venueOf } from '../../../../src/domain/feed/markets/market-url.js';

const EVENT = 'polymarket.com/event/halvex-strait';
const MARKET = `${EVENT}/halvex-strait-open-by-may`;
const KALSHI = 'kalshi.com/markets/kxhalvex/kxhalvex-30';

/** A URL as someone writes it, and its normal form. */
const WHOLE: readonly (readonly [written: string, whole: string])[] = [
  [`https://${EVENT}`, EVENT],
  [`http://www.${EVENT}/`, EVENT],
  [`HTTPS://WWW.Polymarket.com/event/halvex-strait`, EVENT],
  [EVENT, EVENT],
  [`www.${EVENT}`, EVENT],
  [`https://polymarket.com/es/event/halvex-strait`, EVENT],
  [`https://polymarket.com/zh-hans/event/halvex-strait`, EVENT],
  [`https://${EVENT}?utm_source=x&via=anna&ref=y&UTM_Medium=z`, EVENT],
  [`https://${EVENT}?via=anna#`, EVENT],
  [`https://${EVENT}?tid=17&utm_source=x`, `${EVENT}?tid=17`],
  [`https://${EVENT}?b=2&a=1`, `${EVENT}?a=1&b=2`],
  [`https://${MARKET}/?tid=17`, `${MARKET}?tid=17`],
  [`https://${KALSHI}`, KALSHI],
  [`https://kalshi.com/markets/kxhalvex/halvex-strait/kxhalvex-30`, KALSHI],
  [`https://kalshi.com/markets/KXHALVEX/KXHALVEX-30#KXHALVEX-30-MAY`, `${KALSHI}#kxhalvex-30-may`],
  [`https://kalshi.com/markets/kxhalvex`, 'kalshi.com/markets/kxhalvex'],
  ['https://manifold.markets/Anna/Halvex-strait', 'manifold.markets/Anna/Halvex-strait'],
  ['https://manifold.markets/Anna/halvex#a1', 'manifold.markets/Anna/halvex#a1'],
  ['https://www.metaculus.com/questions/4711/halvex-strait/', 'metaculus.com/questions/4711'],
  ['https://metaculus.com/questions/4711', 'metaculus.com/questions/4711'],
  ['https://metaculus.com/questions/4711/x/?sub-question=12', 'metaculus.com/questions/4711?sub-question=12'],
  ['https://metaculus.com/questions/new/x', 'metaculus.com/questions/new/x'],
  ['https://bets.example:8443/m/%41%c3%a4/b c', 'bets.example:8443/m/A%C3%A4/b%20c'],
  ['https://bets.example/m/%2F', 'bets.example/m/%2F'],
  ['https://bets.example/m/%ff', 'bets.example/m/%25ff'],
  ['https://bets.example/en', 'bets.example/en'],
  ['https://bets.example', 'bets.example'],
  ['https://__proto__/a', '__proto__/a'],
];

describe('venueOf', () => {
  it('has lower case and no `www.`', () => {
    expect(venueOf('WWW.Polymarket.com')).to.equal('polymarket.com');
  });
});

describe('readMarketUrl', () => {
  for (const [written, whole] of WHOLE)
    it(`reads ${written}`, () => expect(readMarketUrl(written)?.whole).to.equal(whole));

  for (const text of [
    '',
    'pm-1',
    'a.b',
    'halvex-strait',
    'ftp://a.b/c',
    'javascript://a.b/c',
    'a/b',
    'https://',
    '1234',
  ])
    it(`reads no URL in "${text}"`, () => expect(readMarketUrl(text)).to.equal(null));

  it('has the page without query and fragment, and the host as the venue', () => {
    const read = readMarketUrl(`https://www.${MARKET}?tid=1#x`);
    expect([read?.page, read?.venue]).to.deep.equal([MARKET, 'polymarket.com']);
  });

  it('has the last segment of the path, or the ticker at Kalshi', () => {
    const slugOf = (text: string) => {
      const read = readMarketUrl(text);
      return [read?.slug, read?.isTicker];
    };
    expect(slugOf(`https://${EVENT}/?tid=1`)).to.deep.equal(['halvex-strait', false]);
    expect(slugOf(`https://${MARKET}`)).to.deep.equal(['halvex-strait-open-by-may', false]);
    expect(slugOf(`https://${KALSHI}`)).to.deep.equal(['kxhalvex-30', true]);
    expect(slugOf(`https://${KALSHI}#KXHALVEX-30-MAY`)).to.deep.equal(['kxhalvex-30-may', true]);
    expect(slugOf('https://metaculus.com/questions/4711/Halvex/')).to.deep.equal(['Halvex', false]);
    expect(slugOf('https://bets.example/')).to.deep.equal([null, false]);
  });
});
