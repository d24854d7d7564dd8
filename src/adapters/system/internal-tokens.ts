import { type Tokens, tokenFaults } from '../../domain/sign-in/internal-tokens.js';
import { describeTokenFault, type ListenerSettings } from '../../settings/listener-settings.js';
import { tokenFile } from './token-file.js';

type TokenSettings = Pick<ListenerSettings, 'operatorToken' | 'publisherToken'> & {
  readonly stateDir: string;
};

/** The tokens that are set; what is not is made once, and kept. Throws where the file holds tokens that are too weak. */
export function internalTokens({ operatorToken, publisherToken, stateDir }: TokenSettings): Tokens {
  if (operatorToken !== undefined && publisherToken !== undefined)
    return { operator: operatorToken, publisher: publisherToken };
  const { path, tokens: kept } = tokenFile(stateDir);
  const tokens = { operator: operatorToken ?? kept.operator, publisher: publisherToken ?? kept.publisher };
  const [fault] = tokenFaults(tokens);
  if (fault === undefined) return tokens;
  const names = { operator: 'the operator token', publisher: 'the publisher token' };
  throw new Error(`${path}: ${describeTokenFault(fault, names)}; delete the file, and new ones are made`);
}
