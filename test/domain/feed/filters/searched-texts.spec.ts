import { expect } from 'chai';
import { searchedTexts } from '../../../../src/domain/feed/filters/searched-texts.js';
import { market, publication, subMarket } from '../../../support/objects/builders.js';

describe('The texts of an item whose words are found', () => {
  it('are its headlines, its contexts and the titles of its markets (D57)', () => {
    const item = publication({ related_markets: [market('m1', subMarket('s1')), market('m2')] });
    expect(searchedTexts(item)).to.deep.equal([
      ...['Talks resume', 'Talks resume', 'Short.', 'Long.'],
      ...['The market m1', 'Will s1 happen?', 'The market m2'],
    ]);
  });

  it('are absent where an item of another version has none', () => {
    expect(searchedTexts({}).filter((text) => text !== undefined)).to.deep.equal([]);
  });
});
