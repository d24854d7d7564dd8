import type { Config } from '../settings/config.js';
import { Container, type Replacement as Replacing } from './container/container.js';
import { deliveries, destinationParts, destinationSending, destinationUseCases } from './destinations.js';
import { type Drivers, loadDrivers } from './drivers.js';
import { identity, mail, payments, signing } from './external.js';
import { internalListener, internalTools } from './internal-listener.js';
import { listenerLogs } from './listeners.js';
import { demo, pages } from './pages.js';
import { ownProcess, settings } from './process.js';
import {
  historyApi,
  marketsApi,
  news,
  overload,
  publicApis,
  publicGateway,
  publicHandlers,
  publicState,
  streamApi,
  usageApi,
} from './public-listener.js';
import { sandboxFeeds, sandboxGateway, sandboxRoutes, sandboxStreams, sandboxUsers } from './sandbox.js';
import { accountHolders, pageStores, sessions, signInMethods } from './sign-in.js';
import { clocks, counted, followed, servers, shared, stores } from './stores.js';
import { streamHooks, streams } from './streams.js';
import { lastUseCases, limitWindows, portUseCases, useCases } from './use-cases.js';

/** The service as a list of layers. Each layer is built from the components of the layers before it. */
const layers = (config: Config, drivers: Drivers) =>
  new Container()
    .with(() => settings(config))
    .with(ownProcess)
    .with(servers(drivers))
    .with(clocks)
    .with(shared)
    .with(stores(drivers))
    .with(followed)
    .with(counted)
    .with(signing)
    .with(payments)
    .with(mail(drivers.smtp))
    .with(identity)
    .with(limitWindows)
    .with(portUseCases)
    .with(useCases)
    .with(lastUseCases)
    .with(pageStores)
    .with(sessions)
    .with(accountHolders)
    .with(signInMethods)
    .with(destinationParts)
    .with(destinationSending)
    .with(destinationUseCases)
    .with(deliveries)
    .with(listenerLogs)
    .with(streams)
    .with(streamHooks)
    .with(demo)
    .with(pages)
    .with(publicState)
    .with(publicGateway)
    .with(overload)
    .with(news)
    .with(historyApi)
    .with(marketsApi)
    .with(usageApi)
    .with(streamApi)
    .with(sandboxFeeds)
    .with(sandboxUsers)
    .with(sandboxGateway)
    .with(sandboxStreams)
    .with(sandboxRoutes)
    .with(publicApis)
    .with(publicHandlers)
    .with(internalTools)
    .with(internalListener);

export type Parts = ReturnType<typeof layers>['parts'];

/** The components that a test or a command replaces. */
export type Replacement = Replacing<Parts>;

export async function compose(config: Config, ...replacements: readonly Replacement[]) {
  const container = layers(config, await loadDrivers(config));
  for (const replacement of replacements) container.replace(replacement);
  const { parts, names, hooks } = container;
  /** `open` starts everything that the service needs before it can listen. */
  return { parts, names, open: hooks.open, close: hooks.close };
}

export type Composition = Awaited<ReturnType<typeof compose>>;
