import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from 'oidc-provider';
import { CookieJar } from '../service/cookie-jar.js';

export type OpenIdPerson = {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: string | readonly string[];
  /** Claims that userinfo returns with other values. */
  readonly userinfo?: { readonly email?: string; readonly email_verified?: boolean };
};

/** A real OpenID provider. */
export type OpenIdProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** People by user name, which is their subject. Tests add their own. */
  readonly people: Map<string, OpenIdPerson>;
  /** The requested paths, without queries. */
  readonly asked: string[];
  /**
   * The fault for a path: the connection is aborted, gets no answer, or is answered with this status or this JSON.
   * Null: the request is served.
   */
  instead: (path: string) => 'broken off' | 'silent' | number | { readonly json: object } | null;
  /** Signs a person in as a browser would, starting at the URL of `begin`. Returns the callback URL. */
  readonly answer: (url: string, person: string, consent?: 'given' | 'denied') => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type OpenIdProviderOptions = {
  /** The allowed callback URLs. On loopback, the port is ignored. */
  readonly callbackUrls: readonly string[];
  /** Whether email and groups are in the ID token or only in userinfo. */
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
        application_type: 'native', // Other types must use the registered port.
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

/** Suppresses the warnings of the library about settings for tests; other output stays. */
async function quietly<Result>(make: () => Promise<Result>): Promise<Result> {
  const { info, warn } = console;
  const filtered =
    (write: typeof console.warn): typeof console.warn =>
    (...message) => {
      if (!/oidc-provider (NOTICE|WARNING): /.test(String(message[0]))) write(...message);
    };
  Object.assign(console, { info: filtered(info), warn: filtered(warn) });
  try {
    return await make();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** A minimal browser for the pages of the provider. */
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

  /** Follows redirects to the next page of the provider, or to the callback URL. */
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
