import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type GithubPerson = {
  readonly id: number;
  readonly emails: readonly {
    readonly email: string;
    readonly primary: boolean;
    readonly verified: boolean;
  }[];
};

type Grant = {
  readonly person: GithubPerson;
  readonly redirectUri: string | null;
  readonly challenge: string | null;
};
type Reply = { readonly status: number; readonly body: unknown };

/** The parts of GitHub that sign-in uses, with its API under `/api`. It has one client. */
export class GithubStub {
  readonly clientId = 'Iv1.oddswire';
  readonly clientSecret = 'secret-of-the-github-client';
  /** The requested paths, without queries. */
  readonly asked: string[] = [];
  /** While set, every request is answered with this status. */
  failing: number | null = null;
  /** While set, requests to the API are answered with this status. */
  apiFailing: number | null = null;
  /** Whether a request to this path gets no answer. */
  silent: (path: string) => boolean = () => false;
  readonly #grants = new Map<string, Grant>();
  readonly #tokens = new Map<string, GithubPerson>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<GithubStub> {
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', stub.url);
      stub.asked.push(pathname);
      if (stub.silent(pathname)) return;
      const { status, body } = await stub.#answer(request, pathname);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    const stub = new GithubStub(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return `${this.url}/api`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** The callback URL that GitHub redirects to after a person signed in. */
  answer(url: string, person: GithubPerson, consent: 'given' | 'denied' = 'given'): string {
    const { origin, pathname, searchParams: query } = new URL(url);
    if (`${origin}${pathname}` !== `${this.url}/login/oauth/authorize`) throw new Error(`no page at ${url}`);
    if (query.get('client_id') !== this.clientId) throw new Error('unknown client_id');
    const isValid = query.get('code_challenge_method') === 'S256' && query.get('scope') === 'user:email';
    if (!isValid || query.get('response_type') !== 'code') throw new Error(`invalid request: ${url}`);
    const redirectUri = query.get('redirect_uri');
    const callback = new URL(redirectUri ?? '');
    if (consent === 'denied') {
      callback.searchParams.set('error', 'access_denied');
    } else {
      const code = randomUUID();
      this.#grants.set(code, { person, redirectUri, challenge: query.get('code_challenge') });
      callback.searchParams.set('code', code);
    }
    callback.searchParams.set('state', query.get('state') ?? '');
    callback.searchParams.set('iss', `${this.url}/login/oauth`);
    return callback.href;
  }

  async #answer(request: IncomingMessage, pathname: string): Promise<Reply> {
    const body = await text(request);
    const isApi = pathname.startsWith('/api/');
    const failing = isApi ? (this.apiFailing ?? this.failing) : this.failing;
    if (failing !== null) return { status: failing, body: { message: 'away' } };
    if (isApi) return this.#api(pathname, request.headers.authorization ?? '');
    if (request.method === 'POST' && pathname === '/login/oauth/access_token') {
      return { status: 200, body: this.#token(new URLSearchParams(body)) };
    }
    return { status: 404, body: { message: 'Not Found' } };
  }

  /** A code works once, with the verifier of its challenge (PKCE). GitHub refuses with status 200. */
  #token(form: URLSearchParams): object {
    const isClient =
      form.get('client_id') === this.clientId && form.get('client_secret') === this.clientSecret;
    const code = form.get('code') ?? '';
    if (!isClient)
      return { error: 'incorrect_client_credentials', error_description: `Code ${code} is kept.` };
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri');
    if (!isValid) return { error: 'bad_verification_code', error_description: `The code ${code} is wrong.` };
    const token = `gho_${randomUUID()}`;
    this.#tokens.set(token, grant.person);
    return { access_token: token, scope: 'user:email', token_type: 'bearer' };
  }

  #api(path: string, authorization: string): Reply {
    const person = this.#tokens.get(authorization.replace(/^Bearer /, ''));
    if (person === undefined) return { status: 401, body: { message: 'Bad credentials' } };
    if (path === '/api/user') return { status: 200, body: { id: person.id, login: `login-${person.id}` } };
    if (path === '/api/user/emails') return { status: 200, body: person.emails };
    return { status: 404, body: { message: 'Not Found' } };
  }
}
