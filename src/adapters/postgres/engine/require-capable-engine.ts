import { engineRefusal } from '../../findings/engine-behaviour.js';
import { serverAddress } from '../../findings/without-secrets.js';
import { withErrorMapping } from '../unavailable-database.js';
import { engineBehaviour } from './engine-behaviour.js';

/** Throws an error for operators if the engine lacks a feature without which the service would lose or mix up data. */
export async function requireCapableEngine(url: string): Promise<void> {
  const behaviour = await withErrorMapping(() => engineBehaviour(url));
  const refusal = engineRefusal(behaviour, serverAddress(url));
  if (refusal !== null) throw new Error(`Postgres cannot be used: ${refusal}`);
}
