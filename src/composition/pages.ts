import { cookieJar } from '../adapters/dashboard/cookies.js';
import { dashboard } from '../adapters/dashboard/dashboard.js';
import { type DemoAccount, demoBar } from '../adapters/dashboard/demo/demo-bar.js';
import { DEMO_PAYMENT_PATH } from '../adapters/dashboard/demo/demo-payment.js';
import { keyViews } from '../adapters/dashboard/keys/key-view.js';
import { operatorConsole } from '../adapters/dashboard/operator/console.js';
import { holderVisits, operatorVisits } from '../adapters/dashboard/visit.js';
import { destinationLinks } from '../adapters/destinations/destination-links.js';
import { contactText } from '../adapters/http/answer/service-links.js';
import type { FakePayments } from '../adapters/http/billing/post-demo-payment.js';
import { destinationFilter } from '../adapters/http/feed/destination-filter.js';
import { newsQuery } from '../adapters/http/feed/news-parameters.js';
import { clientGroups } from '../adapters/http/listener/client-address.js';
import { parameters } from '../adapters/http/parameters.js';
import { plainRemedy } from '../adapters/reference/tables/plain-remedy.js';
import { isProofValid, type OperatorProof } from '../domain/sign-in/session.js';
import { type Made, overlay } from './container/container.js';
import type { StreamParts } from './streams.js';

/** Components that only the demo replaces. */
export const demo = () => ({
  fakePayments: (): FakePayments | null => null,
  /** The accounts that visitors can sign in to. */
  demoAccounts: () => (): readonly DemoAccount[] => [],
});

type WithDemo = StreamParts & Made<typeof demo>;

/** Pages for people, over the same use cases as the APIs. */
export const pages = (parts: WithDemo) => ({
  dashboard: () => {
    const { pageStores, identityProviders, fakePayments, referenceSigner, makeCheckoutReference } = parts;
    const common = overlay(parts, { ...commonToAllPages(parts), ...pageStores });
    const paying = {
      demoPaymentPath: fakePayments === null ? null : DEMO_PAYMENT_PATH,
      support: contactOf(parts.config.supportContact),
    };
    return dashboard(
      overlay(common, {
        visits: holderVisits(overlay(common, paying)),
        sending: destinationSending(parts),
        urlRules: parts.config.destinations,
        checkFilter: destinationFilter,
        newsQuery: (querystring: string) => newsQuery(parameters(querystring)),
        isDraining: parts.lifecycle.isDraining,
        keyViews: keyViews(common),
        remedyOf: plainRemedy,
        demo: demoBar(fakePayments !== null),
        hasMailServer: parts.config.smtpUrl !== undefined,
        providers: parts.publicAddress.isPrivate ? identityProviders : [],
        makeCheckoutReference: referenceSigner === null ? null : makeCheckoutReference,
      }),
    );
  },
  /** Null if the settings disable it. */
  operatorConsole: () => {
    const { config, publicAddress, identityProviders, secrets, tokens } = parts;
    if (!config.operatorConsole) return null;
    const { operatorGroup: group } = config.identity;
    const proofs = { token: secrets.hash(tokens.operator), group };
    const common = overlay(parts, commonToAllPages(parts));
    const session = { isProofValid: (proof: OperatorProof) => isProofValid(proof, proofs) };
    // Only the OpenID provider returns groups, so only it can prove that a person is an operator.
    const groupProvider = identityProviders.find(({ id }) => id === 'oidc') ?? null;
    return operatorConsole(
      overlay(common, {
        visits: operatorVisits(overlay(common, session)),
        keyViews: keyViews(parts),
        openStreams: () => parts.streams.figures.open,
        hasWebhooks: config.payments.webhookSecrets.length > 0,
        hasMailServer: config.smtpUrl !== undefined,
        signInAsOperator: publicAddress.isPrivate ? parts.signInAsOperator : null,
        groupProvider: publicAddress.isPrivate && group !== undefined ? groupProvider : null,
      }),
    );
  },
});

export type PageParts = WithDemo & Made<typeof pages>;

/** The setting as a link; null if it is not set. */
const contactOf = (url: string | undefined) => (url === undefined ? null : { url, text: contactText(url) });

/** What destinations need a key for secrets for. */
function destinationSending({ sealing, sendTest, deliverAgain, publicAddress }: WithDemo) {
  if (sealing === null || sendTest === null || deliverAgain === null) return null;
  const links = destinationLinks({ sealing, publicUrl: () => publicAddress.url() });
  return { sealing, links, sendTest, deliverAgain };
}

const commonToAllPages = ({ publicAddress, publicLog }: WithDemo) => ({
  isSecure: publicAddress.isSecure,
  cookies: cookieJar(publicAddress.isSecure),
  publicUrl: publicAddress.url,
  clientGroups,
  reportFault: publicLog.reportFault,
});
