import { type Finding, skipped } from '../adapters/findings/check.js';
import { serverAddress } from '../adapters/findings/without-secrets.js';
import { discover } from '../adapters/identity/oidc-identity-provider.js';
import { reasonOf } from '../adapters/identity/with-error-mapping.js';
import type { Config } from '../settings/config.js';
import type { GithubSettings, OidcSettings } from '../settings/identity-settings.js';
import { type ExternalAnswer, externalFinding } from './rules/external-answer.js';
import type { DoctorCheck } from './run-checks.js';

const ANSWER_MS = 4_000;

export const identityChecks = ({ identity: { oidc, github } }: Config): readonly DoctorCheck[] => [
  {
    check: 'openid provider',
    run: async () => (oidc === undefined ? skipped('OIDC_ISSUER is not set') : openIdFinding(oidc)),
  },
  {
    check: 'github',
    run: async () => (github === undefined ? skipped('GITHUB_CLIENT_ID is not set') : githubFinding(github)),
  },
];

async function openIdFinding(settings: OidcSettings): Promise<Finding> {
  return externalFinding('OpenID provider', serverAddress(settings.issuer), await discovered(settings));
}

/** The library compares the issuer in the document with the setting. */
const ISSUER_DIFFERS = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';

async function discovered(settings: OidcSettings): Promise<ExternalAnswer> {
  try {
    await discover(settings);
    return { answer: 'accepted' };
  } catch (fault) {
    const { code } = fault as { readonly code?: unknown };
    return { answer: code === ISSUER_DIFFERS ? 'wrong issuer' : 'unreachable', reason: reasonOf(fault) };
  }
}

/** Any answer below 500 shows that the API is there: a GitHub Enterprise Server may require a sign-in. */
async function githubFinding({ apiUrl }: GithubSettings): Promise<Finding> {
  const answer = async (): Promise<ExternalAnswer> => {
    try {
      const response = await fetch(apiUrl, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
      await response.body?.cancel();
      if (response.status < 500) return { answer: 'accepted' };
      return { answer: 'unreachable', reason: `HTTP ${response.status}` };
    } catch (fault) {
      return { answer: 'unreachable', reason: reasonOf(fault) };
    }
  };
  return externalFinding('GitHub', serverAddress(apiUrl), await answer());
}
