import { expect } from 'chai';
import { CHAPTERS } from '../../../../src/adapters/reference/chapters.js';
import {
  FOUND_MAX,
  findSections,
  queryTermsOf,
  sectionsOf,
} from '../../../../src/adapters/reference/search/document-search.js';

const [chapter] = CHAPTERS;
const HTML = `<p>How to read &lt;all&gt; pages.</p>
<h2 id="paging">Paging <a class="anchor" href="#paging" aria-label="Link to Paging">#</a></h2>
<p>Send the <code>cursor</code> of the page before. A <strong>cursor</strong> is opaque.</p>
<figure class="sample" data-language="curl"><figcaption>curl<button type="button">Copy</button></figcaption><pre><code>echo next</code></pre></figure>
<h3 id="key_revoked"><code>key_revoked</code> <a class="anchor" href="#key_revoked">#</a></h3>
<p>The key of the cursor was revoked.</p>`;
const index = sectionsOf(chapter, HTML);
const idsOf = (query: string) => findSections(index, queryTermsOf(query)).map(({ id }) => id);

describe('The search of the documentation', () => {
  it('has a section for each heading, and one for what is before the first', () => {
    expect(index.map(({ id, heading, text }) => [id, heading, text])).to.deep.equal([
      [null, chapter.title, 'How to read <all> pages.'],
      ['paging', 'Paging', 'Send the cursor of the page before. A cursor is opaque. echo next'],
      ['key_revoked', 'key_revoked', 'The key of the cursor was revoked.'],
    ]);
  });

  it('takes the words of a query in lower case, each once, and a code as one word', () => {
    expect(queryTermsOf(' The `key_revoked`, the KEY! ')).to.deep.equal(['the', 'key_revoked', 'key']);
    expect(queryTermsOf('…?')).to.deep.equal([]);
    expect(queryTermsOf('a b c d e f g h i j')).to.have.length(8);
    expect(queryTermsOf(`${'x'.repeat(99)} y`)).to.deep.equal(['x'.repeat(99)]);
  });

  it('finds the sections that have every word, those with a word in the heading first', () => {
    expect(idsOf('cursor')).to.deep.equal(['paging', 'key_revoked']);
    expect(idsOf('key_revoked')).to.deep.equal(['key_revoked']);
    expect(idsOf('cursor revoked')).to.deep.equal(['key_revoked']);
    expect(idsOf('pag')).to.deep.equal(['paging', null]);
    expect([idsOf('cursor nothing'), idsOf(''), idsOf('copy')]).to.deep.equal([[], [], []]);
  });

  it('shows whole words around the first word that it found, and at most 20 sections', () => {
    const long = `<p>${'before '.repeat(40)}needle ${'after '.repeat(60)}</p>`;
    const [found] = findSections(sectionsOf(chapter, long), ['needle']);
    expect(found?.excerpt).to.match(/^… (before )+needle (after )+…$/);
    expect(found?.excerpt.length).to.be.below(210);
    const many = Array.from({ length: 30 }, () => sectionsOf(chapter, long)).flat();
    expect(findSections(many, ['needle'])).to.have.length(FOUND_MAX);
  });
});
