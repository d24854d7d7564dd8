import type { Replacement } from '../../../src/composition/compose.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { type Answer, ask, type Composed, composed, type Holder, keyHolder } from './composed.js';

export type PageAnswer = Answer & {
  readonly html: string;
  /** What a person reads of it. */
  readonly text: string;
};

/** A browser without script, as far as forms, cookies and redirects go. */
export class Visitor {
  #url: string;
  readonly cookies = new Map<string, string>();
  #page = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** To another instance of the service. */
  goesTo(url: string): void {
    this.#url = url;
  }

  /** Asks for a page, and follows where it leads. */
  async open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const answer = await this.#ask(path, { headers });
    const { location } = answer.headers;
    return answer.status === 303 && location?.startsWith('/') ? this.open(location) : answer;
  }

  /** The answer itself, wherever it leads. */
  glance(path: string, method = 'GET'): Promise<PageAnswer> {
    return this.#ask(path, { method });
  }

  /** Sends a form of the page that was opened last, and follows where that leads. */
  async submit(path: string, fields: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const answer = await this.post(path, { form_token: this.formToken, ...fields });
    const { location } = answer.headers;
    return answer.status === 303 && location?.startsWith('/') ? this.open(location) : answer;
  }

  /** Sends exactly these fields, as whoever. */
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

  /** The newest key that the page of keys knew of. */
  get seen(): string {
    return hiddenField(this.#page, 'seen');
  }

  async #ask(path: string, asking: Parameters<typeof ask>[1]): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...asking?.headers, ...(cookie !== '' && { Cookie: cookie }) };
    const answer = await ask(`${this.#url}${path}`, { ...asking, headers });
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

/** The text of a page, and nothing of its head. */
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

/** Somebody who has signed in to an account, on its page of keys. */
export async function visitorOf({ url, parts }: Composed, account: AccountId): Promise<Visitor> {
  const visitor = new Visitor(url);
  const { secret } = await parts.startSession({ kind: 'account', account }, null);
  visitor.cookies.set('oddswire_session', secret);
  await visitor.open('/dashboard/keys');
  return visitor;
}

/** An operator who has signed in with the token, on the first page of the console. */
export async function operatorOf({ url, parts }: Composed): Promise<Visitor> {
  const visitor = new Visitor(url);
  const token = parts.secrets.hash(parts.tokens.operator);
  const holder = { kind: 'operator', name: 'operator', by: { token } } as const;
  const { secret } = await parts.startSession(holder, null);
  visitor.cookies.set('oddswire_operator', secret);
  await visitor.open('/operator');
  return visitor;
}

/** The holder of a key who is signed in, for the tests of one page: they share the service and the account. */
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
