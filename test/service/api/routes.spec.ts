import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { documentOf, send } from '../../support/service/client.js';
import type { OpenApi } from '../../support/service/conformance.js';
import { type Service, startService } from '../../support/service/running-service.js';

const HTTP = resolve(import.meta.dirname, '../../../src/adapters/http');

/** The paths in the route list of a listener, read from its source text. */
const routed = (file: string): readonly string[] =>
  [...readFileSync(`${HTTP}/${file}`, 'utf8').matchAll(/path: '([^']+)'/g)].map(([, path = '']) =>
    path.replace(/:(\w+)/g, '{$1}'),
  );

describe('The routes of the two listeners', () => {
  let service: Service;
  let document: OpenApi;
  const url = () => service.instances[0]?.url ?? '';
  const internalUrl = () => service.instances[0]?.internalUrl ?? '';
  before(async () => {
    service = await startService();
    document = await documentOf(url(), internalUrl());
  });
  after(() => service.stop());

  it('are exactly those of the two OpenAPI documents', () => {
    const isDemo = (path: string) => path.startsWith('/internal/v1/demo/');
    // Feed readers call it, and no program that needs a description.
    const isFeed = (path: string) => path === '/feeds/{file}';
    const listed = [...routed('public-api.js'), ...routed('internal-api.js')].filter(
      (path) => !isDemo(path) && !isFeed(path),
    );
    expect(listed.length).to.be.greaterThan(15);
    const unique = [...new Set(listed)];
    expect(unique.toSorted()).to.deep.equal(Object.keys(document.paths).toSorted());
  });

  it('are each served by one listener only, except the OpenAPI documents', async () => {
    const open = new Set(routed('public-api.js'));
    const own = Object.keys(document.paths).filter((path) => path !== '/openapi.json');
    for (const path of own) {
      const elsewhere = open.has(path) ? internalUrl() : url();
      expect((await send(`${elsewhere}${path.replace('{id}', 'x')}`, {})).status, path).to.equal(404);
    }
  });

  it('answer each documented method, with neither 404 nor 405', async () => {
    const open = new Set(routed('public-api.js'));
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods).filter((name) =>
        /^(get|post|delete|put|patch)$/.test(name),
      )) {
        const base = open.has(path) ? url() : internalUrl();
        const { status } = await send(`${base}${path.replace('{id}', 'x')}`, {
          method: method.toUpperCase(),
        });
        const expected = path.startsWith('/webhooks/') ? [400] : [200, 401];
        expect(status, `${method} ${path}`).to.be.oneOf(expected);
      }
    }
  });
});
