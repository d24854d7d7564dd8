import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { sampleFeed } from '../../../src/adapters/sample/sample-feed.js';
import { moment } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { conformance, type OpenApi } from '../../support/service/conformance.js';
import { type Service, startService } from '../../support/service/running-service.js';

describe('GET /openapi.json', () => {
  let service: Service;
  let client: Client;
  let document: OpenApi;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    document = (await client.ask('/openapi.json')).json as OpenApi;
  });
  after(() => service.stop());

  it('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as Record<string, unknown>,
    );
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  it('forbids additional properties in every object schema', () => {
    const open: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const schema = node as Record<string, unknown>;
      if (schema['type'] === 'object' && schema['additionalProperties'] !== false) open.push(path);
      for (const [name, child] of Object.entries(schema)) visit(child, `${path}/${name}`);
    };
    visit(document, '');
    expect(open).to.deep.equal([]);
  });

  it('documents exactly the methods that each route allows', async () => {
    const { url, internalUrl } = service.instances[0] ?? { url: '', internalUrl: '' };
    for (const [path, methods] of Object.entries(document.paths)) {
      const base = /^\/(pm|status|webhooks|openapi)/.test(path) ? url : internalUrl;
      const documented = Object.keys(methods).filter((method) => /^(get|post|delete)$/.test(method));
      const { headers } = await send(`${base}${path.replace('{id}', 'x')}`, { method: 'PUT' });
      const allowed = (headers['allow'] ?? '').split(', ').filter((method) => !/HEAD|OPTIONS/.test(method));
      expect(
        allowed.map((method) => method.toLowerCase()),
        path,
      ).to.have.members(documented);
    }
  });

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
