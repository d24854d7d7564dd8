import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';

/** How a server of somebody else answered a harmless request. `reason` contains no secret. */
export type ExternalAnswer =
  | { readonly answer: 'accepted' }
  | { readonly answer: 'credentials refused'; readonly reason: string }
  | { readonly answer: 'permission missing'; readonly reason: string }
  | { readonly answer: 'encryption refused'; readonly reason: string }
  | { readonly answer: 'wrong issuer'; readonly reason: string }
  | { readonly answer: 'unreachable'; readonly reason: string };

type Advice = Partial<Record<Exclude<ExternalAnswer['answer'], 'accepted'>, string>> & {
  readonly unreachable: string;
};

/** What to do about each answer of each server. */
const ADVICE = {
  'mail server': {
    'credentials refused': 'Correct the user name and the password in SMTP_URL.',
    'encryption refused':
      'Use smtps:// or a mail server with STARTTLS and a valid certificate, or set SMTP_ALLOW_PLAIN=1.',
    unreachable:
      'Check host and port in SMTP_URL, the firewall, and that the mail server accepts this machine.',
  },
  Stripe: {
    'credentials refused': 'Set STRIPE_API_KEY to a key of your Stripe account that is not expired.',
    'permission missing':
      'Give the restricted key read permission on events, invoices, subscriptions, products and customers.',
    unreachable: 'Check STRIPE_API_URL and that this machine may connect to it; see status.stripe.com.',
  },
  'OpenID provider': {
    'wrong issuer':
      'Set OIDC_ISSUER to the issuer exactly as the discovery document of the provider names it.',
    unreachable: 'Check OIDC_ISSUER: the provider must serve /.well-known/openid-configuration under it.',
  },
  GitHub: {
    unreachable: 'Check GITHUB_URL and GITHUB_API_URL, and that this machine may connect to them.',
  },
} as const satisfies Readonly<Record<string, Advice>>;

export type ExternalServer = keyof typeof ADVICE;

/** `server` is the address without credentials. */
export function externalFinding(name: ExternalServer, server: string, answer: ExternalAnswer): Finding {
  if (answer.answer === 'accepted') return ok(`${server} accepts requests`);
  const advice: Advice = ADVICE[name];
  const detail = `${server}: ${SENTENCES[answer.answer]}: ${answer.reason}`;
  const finding = answer.answer === 'permission missing' ? warning : failed;
  return finding(detail, advice[answer.answer] ?? advice.unreachable);
}

const SENTENCES: Readonly<Record<Exclude<ExternalAnswer['answer'], 'accepted'>, string>> = {
  'credentials refused': 'the credentials are refused',
  'permission missing': 'the key may not read everything',
  'encryption refused': 'the connection cannot be encrypted',
  'wrong issuer': 'the discovery document names another issuer',
  unreachable: 'the request failed',
};
