import { expect } from 'chai';
import { problemTable } from '../../../src/adapters/http/answer/problem.js';
import { CHAPTERS, chapterPath } from '../../../src/adapters/reference/chapters.js';
import { type Reply, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const ADDRESS = 'https://api.oddswire.test';
const BYTES_MAX = 100_000;

const idsIn = (html: string): readonly string[] =>
  [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

describe('The documentation at /docs', () => {
  let service: Service;
  const ask = (path: string, asked: Parameters<typeof send>[1] = {}): Promise<Reply> =>
    send(`${service.instances[0]?.url}${path}`, asked);
  before(async () => {
    service = await startService({ PUBLIC_URL: ADDRESS, KEY_PREFIX: 'acme_', RATE_LIMIT_PRO_MINUTE: '4321' });
  });
  after(() => service.stop());

  for (const chapter of CHAPTERS) {
    const path = chapterPath(chapter);

    it(`has the chapter ${chapter.title}: small, strict, and cached by its ETag`, async () => {
      const { status, headers, text } = await ask(path);
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(Buffer.byteLength(text)).to.be.below(BYTES_MAX);
      expect(headers['content-security-policy']).to.include("default-src 'none'; script-src 'self'");
      expect(text.match(/ style=|<style|<script(?![^>]* src=)| on\w+=/g)).to.equal(null);
      expect(text.match(/<h1/g)).to.have.length(1);
      const tag = { 'If-None-Match': headers['etag'] ?? '' };
      expect((await ask(path, { headers: tag })).status).to.equal(304);
      const { status: head, text: none } = await ask(path, { method: 'HEAD' });
      expect([head, none]).to.deep.equal([200, '']);
      expect(
        (await ask(path, { headers: { 'Accept-Encoding': 'br' } })).headers['content-encoding'],
      ).to.equal('br');
      expect((await ask(path, { method: 'POST' })).status).to.equal(405);
    });

    it(`has the chapter ${chapter.title} as Markdown, for this address and key prefix`, async () => {
      const { status, headers, text } = await ask(`/docs/${chapter.slug}.md`);
      expect([status, headers['content-type']]).to.deep.equal([200, 'text/markdown; charset=utf-8']);
      expect(text).to.match(/^# .+\n/);
      expect(text).not.to.match(/<!--|api\.example\.com\/(?:pm|docs)|localhost|svc_…/);
      for (const [, file] of text.matchAll(/\]\(([\w./-]+\.md)/g))
        expect((await ask(`/docs/${file}`)).status, file).to.equal(200);
    });
  }

  it('shows requests to its own address, with keys of its own prefix', async () => {
    const { text } = await ask('/docs');
    expect(text).to.include(`${ADDRESS}/pm/v2/news?limit=1`).and.to.include('ODDSWIRE_KEY=acme_…');
  });

  it('shows the limits of its own plans', async () => {
    expect((await ask('/docs/limits')).text).to.include('4,321');
  });

  it('links only to pages, files and headings that exist', async () => {
    const pages = new Map<string, string>();
    for (const chapter of CHAPTERS) pages.set(chapterPath(chapter), (await ask(chapterPath(chapter))).text);
    const broken: string[] = [];
    let count = 0;
    for (const [from, html] of pages) {
      for (const href of new Set(linksIn(html))) {
        count += 1;
        const [path = '', fragment] = href.replace(ADDRESS, '').split('#');
        const target = path === '' ? html : pages.get(path);
        const isFound =
          target === undefined
            ? (await ask(path)).status < 400
            : fragment === undefined || idsIn(target).includes(fragment);
        if (!isFound) broken.push(`${from}: ${href}`);
      }
    }
    expect(count).to.be.above(200);
    expect(broken).to.deep.equal([]);
  });

  it('uses each id once on each page', async () => {
    for (const chapter of CHAPTERS) {
      const ids = idsIn((await ask(chapterPath(chapter))).text);
      expect(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        chapter.slug,
      ).to.deep.equal([]);
    }
  });

  it('has an entry with cause and remedy for every problem code, at the address in `type` (D32)', async () => {
    const { text } = await ask('/docs/errors');
    const ids = idsIn(text);
    expect(
      problemTable()
        .map(({ code }) => code)
        .filter((code) => !ids.includes(code)),
    ).to.deep.equal([]);
    expect(text.match(/<strong>Cause\./g)).to.have.length(problemTable().length);
    expect(text.match(/<strong>Remedy\./g)).to.have.length(problemTable().length);
    const { type } = (await ask('/pm/v2/news')).json as { readonly type: string };
    expect(type).to.equal(`${ADDRESS}/docs/errors#key_missing`);
  });

  it('documents every parameter and every schema of the OpenAPI document', async () => {
    const { paths, components } = (await ask('/openapi.json')).json as {
      readonly paths: Record<
        string,
        { readonly get: { readonly parameters?: readonly { readonly name: string }[] } }
      >;
      readonly components: { readonly schemas: object };
    };
    const [reference, fields] = [(await ask('/docs/reference')).text, (await ask('/docs/fields')).text];
    for (const [path, { get }] of Object.entries(paths)) {
      expect(reference).to.include(`>GET ${path} <`);
      for (const { name } of get.parameters ?? []) expect(reference).to.include(`<code>${name}</code>`);
    }
    const names = Object.keys(components.schemas).map((name) => name.toLowerCase());
    expect(names.filter((name) => !idsIn(fields).includes(name))).to.deep.equal([]);
  });

  it('is searched by words, over the headings and texts of all chapters, with links that exist', async () => {
    const search = (q: string) => ask(`/docs/search?q=${encodeURIComponent(q)}`);
    const { status, headers, text } = await search('key_revoked');
    expect([status, headers['cache-control']]).to.deep.equal([200, 'no-store']);
    expect(headers['content-security-policy']).to.include("default-src 'none'");
    expect(text).to.match(/<ol class="found"><li><a href="\/docs\/errors#key_revoked">key_revoked<\/a>/);
    const found = linksIn((await search('position cursor')).text).filter((href) => href.startsWith('/docs'));
    for (const href of found) {
      const [path = '', fragment] = href.split('#');
      const page = await ask(path);
      expect(page.status, href).to.equal(200);
      if (fragment !== undefined) expect(idsIn(page.text), href).to.include(fragment);
    }
    expect(found.length).to.be.above(5);
    expect((await search('giraffe')).text).to.include('No section has all of these words.');
    expect((await search('')).text).not.to.include('role="status"');
    expect((await ask('/docs/search')).status).to.equal(200);
  });

  it('shows no key and no markup that somebody searches for', async () => {
    const key = `acme_${'k'.repeat(42)}A`;
    const { text } = await ask(`/docs/search?q=${encodeURIComponent(`"><b>${key}`)}`);
    expect(text).not.to.include('<b>').and.not.include(key);
    expect((await ask(`/docs/search?q=%ff&q=${'a'.repeat(1_000)}`)).status).to.equal(200);
  });

  it('answers 404 for an unknown chapter, and redirects the long address of the first one', async () => {
    for (const path of [
      '/docs/none',
      '/docs/none.md',
      '/docs/',
      '/docs/Errors',
      '/docs/constructor',
      '/docs/assets/none',
    ]) {
      expect((await ask(path)).status, path).to.equal(404);
    }
    const { status, headers } = await ask('/docs/quickstart');
    expect([status, headers['location']]).to.deep.equal([302, '/docs']);
  });

  it('answers 404 with a page for browsers, and with a problem for programs and for Markdown', async () => {
    const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const path of ['/docs/none', '/docs/', '/docs/Errors', '/docs/a/b', '/docs/a/b/', '/nowhere/x']) {
      const { status, headers, text } = await ask(path, browser);
      expect([status, headers['content-type']], path).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(headers['vary'], path).to.include('Accept');
      expect(headers['content-security-policy'], path).to.include("default-src 'none'");
      expect(text, path).to.include('Page not found');
      const addresses = [...text.matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, address = '']) => address);
      expect(addresses).to.include.members(['/', '/docs', '/dashboard', '/status']);
      for (const address of new Set(addresses)) {
        const { status: found } = await ask(new URL(address, `${ADDRESS}${path}`).pathname, browser);
        expect(found, `${address} on ${path}`).to.be.below(400);
      }
    }
    const problems = { Accept: 'application/problem+json, text/html;q=0.5' };
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }, problems]) {
      for (const path of ['/docs/none', '/docs/a/b', '/nowhere']) {
        const { json, headers: answered } = await ask(path, { headers });
        expect(json, path).to.have.property('code', 'not_found');
        expect(answered['vary'], path).to.include('Accept');
      }
    }
  });

  it('answers unknown paths of the API with a problem, also for browsers', async () => {
    for (const path of ['/pm', '/pm/v2/none', '/pm/v2/news/', '/internal/v1/news', '/webhooks/none']) {
      const { status, json } = await ask(path, { headers: { Accept: 'text/html' } });
      expect([status, json], path).to.have.nested.property('[1].code', 'not_found');
      expect(status, path).to.equal(404);
    }
  });

  it('has a list of the sections of each chapter with several, and a link back at the end of each section', async () => {
    for (const chapter of CHAPTERS) {
      const { text } = await ask(chapterPath(chapter));
      const count = text.match(/<h2 /g)?.length ?? 0;
      const [menu = ''] = /<details class="sections-menu" id="on-this-page">.*?<\/details>/s.exec(text) ?? [];
      expect(linksIn(menu), chapter.slug).to.have.length(count < 2 ? 0 : count);
      expect(text.match(/href="#on-this-page"/g) ?? [], chapter.slug).to.have.length(count < 2 ? 0 : count);
    }
  });

  it('shows a sample of one question, with its effect and its prices, that needs no scrolling', async () => {
    const { text } = await ask('/docs/quickstart.md');
    const [, sample = ''] = /```json\n(.*?)```/s.exec(text) ?? [];
    expect(sample.split('\n').length).to.be.below(26);
    const keys = ['effect', 'affected_outcome'];
    const path = 'items[0].related_markets[0].sub_markets';
    expect(JSON.parse(sample)).to.have.nested.property(path).that.has.length(1);
    expect(JSON.parse(sample)).to.have.nested.property(`${path}[0].news_effect`).that.has.all.keys(keys);
    expect(JSON.parse(sample)).to.have.nested.property(`${path}[0].market_snapshot.yes_ask`);
  });

  it('names no setting and no decision of its operators in the chapters for customers', async () => {
    for (const { slug } of CHAPTERS) {
      const { text } = await ask(`/docs/${slug}.md`);
      const [forCustomers = ''] = text.split('## Codes of the internal interface');
      const found = forCustomers.match(/\(D\d+|(?:CHANGES|STREAMS|ALLOW|RATE_LIMIT)_\w+|\bpm_\d/g);
      expect(found, slug).to.equal(null);
    }
  });

  it('serves its scripts and styles to every address, also without https', async () => {
    const { text } = await ask('/docs');
    const files = [...text.matchAll(/(?:href|src)="(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).to.be.at.least(4);
    for (const file of files) {
      const { status, headers } = await ask(file);
      expect([status, headers['cache-control']], file).to.deep.equal([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});
