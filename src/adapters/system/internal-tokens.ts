import { type Tokens, tokenFaults } from '../../domain/sign-in/internal-tokens.js';
import { describeTokenFault, type ListenerSettings } from '../../settings/listener-settings.js';
import { tokenFile } from './token-file.js';

type TokenSettings = Pick<ListenerSettings, 'operatorToken' | 'publisherToken'> & {
  readonly stateDir: string;
};

/** The tokens from the settings; a missing one is generated once and stored. Throws if a stored token is too weak. */
export function internalTokens({ operatorToken, publisherToken, stateDir }: TokenSettings): Tokens {
  if (operatorToken !== undefined && publisherToken !== undefined)
    return { operator: operatorToken, publisher: publisherToken };
  const { path, tokens: stored } = tokenFile(stateDir);
  const tokens = {
    operator: operatorToken ?? stored.operator,
    publisher: publisherToken ?? stored.publisher,
  };
  const [fault] = tokenFaults(tokens);
  if (fault === undefined) return tokens;
  const names = { operator: 'the operator token', publisher: 'the publisher token' };
  throw new Error(`${path}: ${describeTokenFault(fault, names)}; delete the file to generate new tokens`);
}
