import { rawSocket } from '../../http/listener/raw-socket.js';
import { composed, keyHolder } from '../service/composed.js';
import type { OutsideText } from './outside-texts.js';

/** Node refuses more than 16 KB of request line and headers. This leaves space for the rest of the request. */
const TEXT_LENGTH_MAX = 15_500;

const PIECES = ['a', '0', '1:', ' ', ',', ';', '=', '&', '%25', '"', '.', '/'];

/**
 * Complete requests with the text in one field, from the first byte to the log line. The work of all code on the way is
 * counted: ours, Koa, its packages and Node.
 */
export async function outsideRequests(): Promise<{
  readonly rows: readonly OutsideText[];
  readonly stop: () => Promise<void>;
}> {
  const service = await composed({
    ...{ TRUSTED_PROXY_HOPS: '1', ANONYMOUS_PER_MINUTE: '1000000', RATE_LIMIT_PRO_MINUTE: '1000000' },
    ...{ RATE_LIMIT_PRO_DAY: '1000000', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
  });
  const { value } = await keyHolder(service);
  const bearer = `Authorization: Bearer ${value}`;

  const sendRaw = async (port: number, head: readonly string[], body = ''): Promise<void> => {
    const logged = service.lines.length;
    const caller = await rawSocket(port);
    caller.send(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
    await caller.all();
    let lines = 0;
    await service.line(() => {
      lines += 1;
      return lines > logged;
    });
  };
  const row = (
    name: string,
    head: (text: string) => readonly string[],
    begins = '',
    port = service.port,
  ): OutsideText => ({
    name,
    begins,
    pieces: PIECES,
    take: (text) => () => sendRaw(port, head(text.slice(0, TEXT_LENGTH_MAX))),
  });
  const inPath = (path: string, port?: number) =>
    row(
      `a request to ${path}…`,
      (text) => [
        `GET ${path}${text.replaceAll(' ', '%20').replaceAll('"', '%22')} HTTP/1.1`,
        'Host: a',
        bearer,
      ],
      '',
      port,
    );
  const inHeader = (name: string, path = '/pm/v2/news', more: readonly string[] = [bearer]) =>
    row(`a request to ${path} with ${name}`, (text) => [
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      ...more,
      `${name}: ${text}`,
    ]);
  const inForm = (path: string, field: string): OutsideText => ({
    name: `a form to ${path} with ${field}`,
    begins: `${field}=`,
    pieces: [...PIECES, '+', '@'],
    take: (text) => () => {
      const type = 'Content-Type: application/x-www-form-urlencoded';
      return sendRaw(
        service.port,
        [`POST ${path} HTTP/1.1`, 'Host: localhost', type, `Content-Length: ${text.length}`],
        text,
      );
    },
  });

  return {
    stop: service.stop,
    rows: [
      inPath('/'),
      inPath('/pm/v2/news?'),
      inPath('/pm/v2/news/'),
      inPath('/dashboard/'),
      inPath('/dashboard/sign-in/'),
      inPath('/dashboard/sign-in/link?token='),
      inPath('/operator/accounts/'),
      inPath('/internal/v1/keys/', service.internalPort),
      row('a request with many headers', (text) => [
        'GET /pm/v2/news HTTP/1.1',
        'Host: a',
        ...Array(1_900).fill(`X-API-Key: ${text.charAt(0)}`),
      ]),
      row('a request of a key with a long query', (text) => [
        `GET /pm/v2/news?${text.replaceAll(' ', '+').slice(0, 4_000)} HTTP/1.1`,
        'Host: a',
        bearer,
      ]),
      ...[
        'Accept-Encoding',
        'If-None-Match',
        'X-Request-Id',
        'X-Forwarded-For',
        'X-API-Key',
        'Cookie',
        'Range',
        'Expect',
        'User-Agent',
      ].map((name) => inHeader(name)),
      inHeader('Cache-Control', '/pm/v2/news', [bearer, 'If-None-Match: "x"']),
      inHeader('Accept-Encoding', '/openapi.json', []),
      inHeader('Authorization', '/pm/v2/news', []),
      ...['Cookie', 'Origin', 'Sec-Fetch-Site', 'Sec-Fetch-Mode'].map((name) =>
        inHeader(name, '/dashboard/keys', []),
      ),
      inHeader('Stripe-Signature', '/webhooks/stripe', []),
      inForm('/dashboard/sign-in', 'email'),
      inForm('/dashboard/sign-in/link', 'token'),
      inForm('/operator/sign-in', 'token'),
    ],
  };
}
