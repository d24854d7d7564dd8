// A conventional implementation: Fastify, a pool of ten connections, one prepared query for the page and one for the key, a
// counter in Redis, JSON.stringify, and the compression plugin. With `cached`, pages are cached for one second.
import { createHash } from 'node:crypto';
import compress from '@fastify/compress';
import Fastify from 'fastify';
import pg from 'pg';
import { createClient } from 'redis';

const KEY = { name: 'key', text: 'select id from bench_key where hash = $1' };
const PAGE = {
  name: 'page',
  text: 'select body, scored_at from bench_item where scored_at < $1 order by scored_at desc limit $2',
};
const LIMIT = 1_000_000_000;

process.on('message', async ({ databaseUrl, redisUrl, cached }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const redis = await createClient({ url: redisUrl }).connect();
  const app = Fastify();
  await app.register(compress, { threshold: 0, encodings: ['gzip'] });
  const pages = new Map();

  const pageOf = async (limit) => {
    const kept = pages.get(limit);
    if (cached && kept !== undefined && kept.until > Date.now()) return kept.page;
    const { rows } = await pool.query({ ...PAGE, values: ['infinity', limit + 1] });
    const items = rows.slice(0, limit);
    const next_cursor = rows.length > limit ? items.at(-1).scored_at : null;
    const page = { items: items.map(({ body }) => body), next_cursor };
    pages.set(limit, { page, until: Date.now() + 1_000 });
    return page;
  };

  app.get('/pm/v2/news', async (request, reply) => {
    const hash = createHash('sha256')
      .update(request.headers['x-api-key'] ?? '')
      .digest('hex');
    const { rows } = await pool.query({ ...KEY, values: [hash] });
    if (rows.length === 0) return reply.code(401).send({ error: 'unknown key' });
    const minute = Math.floor(Date.now() / 60_000);
    const [count] = await redis
      .multi()
      .incr(`${rows[0].id}:${minute}`)
      .expire(`${rows[0].id}:${minute}`, 120)
      .exec();
    reply.header('X-RateLimit-Limit', LIMIT).header('X-RateLimit-Remaining', LIMIT - count);
    if (count > LIMIT) return reply.code(429).send({ error: 'too many requests' });
    return pageOf(Number(request.query.limit ?? 50));
  });

  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send({ port: app.server.address().port });
});
