import type { Replacement } from '../../../src/composition/compose.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { type Answer, ask, type Composed, composed, type Holder, keyHolder } from './composed.js';

export type PageAnswer = Answer & {
  readonly html: string;
  /** The visible text of the page. */
  readonly text: string;
};

/** A browser without scripts: it handles forms, cookies and redirects. */
export class Visitor {
  #url: string;
  readonly cookies = new Map<string, string>();
  #page = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends further requests to this instance of the service. */
  useInstance(url: string): void {
    this.#url = url;
  }

  /** Opens a page, and follows redirects. */
  async open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const answer = await this.#ask(path, { headers });
    const { location } = answer.headers;
    return answer.status === 303 && location?.startsWith('/') ? this.open(location) : answer;
  }

  /** Sends a request without following redirects. */
  openOnce(path: string, method = 'GET'): Promise<PageAnswer> {
    return this.#ask(path, { method });
  }

  /** Submits a form of the last page, and follows redirects. */
  async submit(path: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const answer = await this.post(path, { form_token: this.formToken, ...fields });
    const { location } = answer.headers;
    return answer.status === 303 && location?.startsWith('/') ? this.open(location) : answer;
  }

  /** Posts exactly these fields, without a form token. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { 'Sec-Fetch-Site': 'same-origin' },
  ): Promise<PageAnswer> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.#ask(path, { method: 'POST', headers: { ...type, ...headers }, body });
  }

  get formToken(): string {
    return hiddenField(this.#page, 'form_token');
  }

  /** The hidden field `seen` of the last page: the newest key when the page was rendered. */
  get seen(): string {
    return hiddenField(this.#page, 'seen');
  }

  async #ask(path: string, options: Parameters<typeof ask>[1]): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...options?.headers, ...(cookie !== '' && { Cookie: cookie }) };
    const answer = await ask(`${this.#url}${path}`, { ...options, headers });
    for (const line of answer.headers['set-cookie'] ?? []) this.#take(line);
    const html = answer.body.toString('utf8');
    if (html !== '') this.#page = html;
    return { ...answer, html, text: readable(html) };
  }

  #take(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

const hiddenField = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';

/** The text in the body of a page. */
function readable(html: string): string {
  return html
    .replace(/^.*<body>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,:;)])/g, '$1')
    .trim();
}

/** A visitor who is signed in to an account and has opened its page of keys. */
export async function visitorOf({ url, parts }: Composed, account: AccountId): Promise<Visitor> {
  const visitor = new Visitor(url);
  const { secret } = await parts.startSession({ kind: 'account', account }, null);
  visitor.cookies.set('oddswire_session', secret);
  await visitor.open('/dashboard/keys');
  return visitor;
}

/** An operator who is signed in with the token and has opened the console. */
export async function operatorOf({ url, parts }: Composed): Promise<Visitor> {
  const visitor = new Visitor(url);
  const token = parts.secrets.hash(parts.tokens.operator);
  const holder = { kind: 'operator', name: 'operator', by: { token } } as const;
  const { secret } = await parts.startSession(holder, null);
  visitor.cookies.set('oddswire_operator', secret);
  await visitor.open('/operator');
  return visitor;
}

/** A signed-in holder of a key. The tests of one page share the service and the account. */
export function signedInHolder(replace: Replacement = () => ({})) {
  let service: Composed;
  let holder: Holder;
  let visitor: Visitor;
  before(async () => {
    service = await composed({}, replace);
    holder = await keyHolder(service);
    visitor = await visitorOf(service, holder.account);
  });
  after(() => service.stop());
  return { service: () => service, holder: () => holder, visitor: () => visitor };
}
