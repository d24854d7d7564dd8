import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from 'oidc-provider';
import { CookieJar } from '../service/cookie-jar.js';

export type OpenIdPerson = {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: string | readonly string[];
  /** What userinfo says differently. */
  readonly userinfo?: { readonly email?: string; readonly email_verified?: boolean };
};

/** A real OpenID provider of the tests. */
export type OpenIdProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By the name that they sign in with, which is their subject. Tests add their own. */
  readonly people: Map<string, OpenIdPerson>;
  /** The paths that were asked for, without queries. */
  readonly asked: string[];
  /**
   * What is done instead of serving, by the path that is asked for: the connection is broken off, left without
   * an answer, or answered with this status or this JSON. Null: it is served.
   */
  instead: (path: string) => 'broken off' | 'silent' | number | { readonly json: object } | null;
  /** Plays a browser, from where `begin` sends it to where the provider sends it back: the callback URL with its query. */
  readonly answer: (url: string, person: string, consent?: 'given' | 'denied') => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type OpenIdProviderOptions = {
  /** Where it may send people back to. The port does not count: on loopback any will do. */
  readonly callbackUrls: readonly string[];
  /** Whether e-mail and groups are in the ID token, or told by userinfo alone. */
  readonly claimsIn?: 'ID token' | 'userinfo';
  readonly clientSecretIn?: 'body' | 'header';
};

export async function startOpenIdProvider(options: OpenIdProviderOptions): Promise<OpenIdProvider> {
  const people = new Map<string, OpenIdPerson>();
  const client = { id: 'oddswire', secret: 'secret-of-the-openid-client' };
  const server = createServer((request, response) => serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await quietly(async () => {
    const library = await import('oidc-provider');
    return new library.Provider(issuer, configuration(options, client, people));
  });
  provider.on('server_error', (_, fault) => console.error(fault));
  const listener = provider.callback();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', issuer);
    running.asked.push(pathname);
    const instead = running.instead(pathname);
    if (instead === null) return void listener(request, response);
    if (instead === 'broken off') return void request.socket.destroy();
    if (instead === 'silent') return;
    const [status, type, body] =
      typeof instead === 'number'
        ? [instead, 'text/plain', 'away']
        : [200, 'application/json', JSON.stringify(instead.json)];
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
  const running: OpenIdProvider = {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    people,
    asked: [],
    instead: () => null,
    answer: (url, person, consent = 'given') => new Browser(issuer).signIn(url, person, consent),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return running;
}

function configuration(
  { callbackUrls, claimsIn = 'ID token', clientSecretIn = 'body' }: OpenIdProviderOptions,
  client: { readonly id: string; readonly secret: string },
  people: ReadonlyMap<string, OpenIdPerson>,
): Configuration {
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...callbackUrls],
        application_type: 'native', // Else it would be held to the port that was registered.
        token_endpoint_auth_method: clientSecretIn === 'body' ? 'client_secret_post' : 'client_secret_basic',
      },
    ],
    ...(clientSecretIn === 'header' && { clientAuthMethods: ['client_secret_basic'] }),
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: claimsIn === 'userinfo',
    findAccount: (_, accountId) => {
      const { userinfo, ...person } = people.get(accountId) ?? {};
      const claims = { sub: accountId, ...person };
      return { accountId, claims: (use) => (use === 'userinfo' ? { ...claims, ...userinfo } : claims) };
    },
    cookies: { keys: ['key of the tests'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  };
}

/** Without what the library says of settings that only a test may have; whatever else is said is heard. */
async function quietly<Made>(make: () => Promise<Made>): Promise<Made> {
  const { info, warn } = console;
  const unless =
    (say: typeof console.warn): typeof console.warn =>
    (...title) => {
      if (!/oidc-provider (NOTICE|WARNING): /.test(String(title[0]))) say(...title);
    };
  Object.assign(console, { info: unless(info), warn: unless(warn) });
  try {
    return await make();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** As much of a browser as the provider's own pages need. */
class Browser {
  readonly #cookies = new CookieJar();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  async signIn(url: string, person: string, consent: 'given' | 'denied'): Promise<string> {
    let at = await this.#follow(url);
    while ('page' in at) {
      if (at.page.includes('value="login"')) {
        at = await this.#follow(actionOf(at.page), { prompt: 'login', login: person, password: 'any' });
      } else if (consent === 'given') {
        at = await this.#follow(actionOf(at.page), { prompt: 'consent' });
      } else {
        at = await this.#follow(`${actionOf(at.page)}/abort`);
      }
    }
    return at.answer;
  }

  /** Through redirects, to the next page of the provider or away from it. */
  async #follow(url: string, form?: Record<string, string>): Promise<{ answer: string } | { page: string }> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: this.#cookies.header },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    });
    this.#cookies.take(response.headers);
    const page = await response.text();
    const to = response.headers.get('Location');
    if (to === null) {
      if (!page.includes('<form')) throw new Error(`${url} was answered with ${response.status}: ${page}`);
      return { page };
    }
    const next = new URL(to, url);
    return next.origin === this.#origin ? this.#follow(next.href) : { answer: next.href };
  }
}

function actionOf(page: string): string {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  if (action === undefined) throw new Error(`no form in ${page}`);
  return action;
}
