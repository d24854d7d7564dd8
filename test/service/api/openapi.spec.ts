import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { moment } from '../../support/objects/builders.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { conformance, type OpenApi } from '../../support/service/conformance.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** The rules of Redocly that are beyond its recommended ones. */
const RULES = [
  ...['operation-description', 'parameter-description', 'tag-description', 'operation-tag-defined'],
  ...['no-invalid-media-type-examples', 'no-invalid-schema-examples', 'no-invalid-parameter-examples'],
] as const;

type Node = Readonly<Record<string, unknown>>;

/** The JSON pointer and the value of every object in a document. */
function nodesOf(node: unknown, path = ''): readonly (readonly [path: string, node: Node])[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([name, child]) => nodesOf(child, `${path}/${name}`));
  return [[path, node as Node], ...inner];
}

const METHODS = ['get', 'post', 'delete'];

for (const listener of ['public', 'internal'] as const) {
  describe(`GET /openapi.json of the ${listener} listener`, () => {
    let service: Service;
    let text: string;
    let document: OpenApi;
    const base = () => service.instances[0]?.[listener === 'public' ? 'url' : 'internalUrl'] ?? '';
    before(async () => {
      service = await startService({ PUBLIC_URL: 'https://api.oddswire.test' });
      ({ text } = await send(`${base()}/openapi.json`, {}));
      document = JSON.parse(text) as OpenApi;
    });
    after(() => service.stop());

    it('is OpenAPI 3.1', async () => {
      const { valid, errors } = await new Validator().validate(
        structuredClone(document) as Record<string, unknown>,
      );
      expect(valid, JSON.stringify(errors)).to.equal(true);
    });

    it('describes its own 304', async () => {
      const { headers } = await send(`${base()}/openapi.json`, {});
      const again = await send(`${base()}/openapi.json`, {
        headers: { 'If-None-Match': headers['etag'] ?? '' },
      });
      expect(again.status).to.equal(304);
      expect(document).to.have.nested.property('paths./openapi\\.json.get.responses.304');
    });

    if (listener === 'public')
      it('names the code of a position that has expired', () => {
        expect(text).to.include('`position_expired`');
      });

    it('has neither error nor warning by Redocly', async () => {
      const config = await createConfig({
        extends: ['recommended'],
        rules: Object.fromEntries(RULES.map((rule) => [rule, 'error'])),
      });
      const lint = async (source: string) =>
        (await lintFromString({ source, absoluteRef: '/openapi.json', config })).map(
          ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`,
        );
      expect(await lint(text)).to.deep.equal([]);
      expect(await lint(text.replace('"operationId":', '"operation":'))).not.to.deep.equal([]);
    });

    it('describes every property and every header', () => {
      const fields = nodesOf(document)
        .filter(([path]) => /\/(properties|headers)$/.test(path) && !/\/example\//.test(path))
        .flatMap(([path, table]) =>
          Object.entries(table).map(([name, field]) => ({ at: `${path}/${name}`, ...(field as Node) })),
        );
      expect(fields.length).to.be.greaterThan(100);
      const silent = fields.filter((field) => !/\w/.test(String((field as Node)['description'] ?? '')));
      expect(silent.map(({ at }) => at)).to.deep.equal([]);
    });

    it('has an example, a tag and a link to the documentation for every operation', () => {
      const operations = nodesOf(document.paths).filter(([path]) =>
        METHODS.some((one) => path.endsWith(`/${one}`)),
      );
      expect(operations.length).to.be.greaterThan(listener === 'public' ? 4 : 20);
      for (const [path, operation] of operations) {
        expect(operation, path).to.have.nested.property('tags[0]');
        expect(operation, path).to.have.nested.property('summary');
        expect(operation['externalDocs'], path)
          .to.have.property('url')
          .that.includes('https://api.oddswire.test/docs/');
        const examples = nodesOf(operation).filter(([, node]) => node['example'] !== undefined);
        expect(
          examples.map(([at]) => at),
          path,
        ).not.to.deep.equal([]);
      }
    });

    it('documents exactly the methods that each route allows', async () => {
      for (const [path, methods] of Object.entries(document.paths)) {
        const at = path.startsWith('/webhooks/') ? service.instances[0]?.url : base();
        const documented = Object.keys(methods).filter((method) => METHODS.includes(method));
        const { headers } = await send(`${at}${path.replace('{id}', 'x')}`, { method: 'PUT' });
        const allowed = (headers['allow'] ?? '').split(', ').filter((method) => !/HEAD|OPTIONS/.test(method));
        expect(
          allowed.map((method) => method.toLowerCase()),
          path,
        ).to.have.members(documented);
      }
    });

    if (listener === 'public') {
      it('names no internal path, and neither token', () => {
        expect(
          Object.keys(document.paths).filter((path) => !/^\/(?:pm\/|status$|openapi\.json$|$)/.test(path)),
        ).to.deep.equal([]);
        expect(text).not.to.match(/\/internal\/|operatorToken|publisherToken/);
      });
    }
  });
}

describe('The schema of a page', () => {
  let service: Service;
  let client: Client;
  let document: OpenApi;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    document = (await client.ask('/openapi.json')).json as OpenApi;
  });
  after(() => service.stop());

  it('rejects a response with a missing field, an additional field or a wrong type', async () => {
    await publishAll(client, sampleFeed(3, moment('2026-02-01T00:00:00Z')));
    const { key } = await aKey(client);
    const reply = await client.news(key, '?limit=1');
    const holds = conformance(document);
    const faults = (json: unknown) =>
      holds('GET', '/pm/v2/news', { ...reply, text: JSON.stringify(json) }, true);
    expect(faults(reply.json)).to.deep.equal([]);

    const fields = fieldsOf(reply.json);
    expect(fields.length).to.be.greaterThan(60);
    for (const path of fields) {
      expect(
        faults(changed(reply.json, path, (holder, name) => delete holder[name])),
        `without ${path.join('/')}`,
      ).not.to.deep.equal([]);
      const wrong = (holder: Holder, name: string) => {
        holder[name] = typeof holder[name] === 'object' ? 5 : { not: 'this' };
      };
      expect(faults(changed(reply.json, path, wrong)), `another type at ${path.join('/')}`).not.to.deep.equal(
        [],
      );
      const more = (holder: Holder) => {
        holder['more'] = 1;
      };
      expect(faults(changed(reply.json, path, more)), `more beside ${path.join('/')}`).not.to.deep.equal([]);
    }
  });
});

type Holder = Record<string, unknown>;

/** The path of every property. Of each array, only the first element is visited. */
function fieldsOf(node: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.length === 0 ? [] : fieldsOf(node[0], [...path, '0']);
  return Object.entries(node).flatMap(([name, child]) => [
    [...path, name],
    ...fieldsOf(child, [...path, name]),
  ]);
}

function changed(
  root: unknown,
  path: readonly string[],
  change: (holder: Holder, name: string) => void,
): unknown {
  const copy = structuredClone(root);
  const holder = path.slice(0, -1).reduce((node, name) => node[name] as Holder, copy as Holder);
  change(holder, path.at(-1) ?? '');
  return copy;
}
