import { randomBytes } from 'node:crypto';
import type { DemoAccount } from '../adapters/dashboard/demo/demo-bar.js';
import { FakeStripe } from '../adapters/stripe/fake-stripe.js';
import { compose } from '../composition/compose.js';
import type { AccountId } from '../domain/accounts/account.js';
import { PLAN_NAMES } from '../domain/billing/plan.js';
import { isRefusal } from '../domain/refusal.js';
import { addressesText } from '../process/announcement.js';
import { startService } from '../process/service.js';
import { stopOnSignals } from '../process/stop-on-signals.js';
import { readConfig } from '../settings/config.js';
import { processEnvironment } from '../settings/process-environment.js';
import { openDemoAccounts } from './demo/demo-accounts.js';
import { helpText, readDemoOptions } from './demo/demo-options.js';
import { demoSettings, ignoredSettingsText } from './demo/demo-settings.js';
import { accountText, frontPageText, keysText, paymentsText } from './demo/demo-text.js';
import { publishStories } from './demo/publish-stories.js';
import { invocationOf } from './invocation.js';

/**
 * `npm run demo` and `oddswire demo`: the service in memory, with hand-written stories and three accounts whose keys are printed.
 * `--all-languages` adds stories in other languages.
 */
const options = readDemoOptions(process.argv.slice(2));
if ('fault' in options) fail(options.fault);
if (options.help) {
  console.log(helpText(invocationOf('demo')));
  process.exit(0);
}
const environment = processEnvironment();
const secret = `whsec_${randomBytes(24).toString('hex')}`;
const config = readConfig(demoSettings(environment, secret), (line) => console.error(`oddswire: ${line}`));
if ('faults' in config) {
  for (const fault of config.faults) console.error(`oddswire: ${fault}`);
  process.exit(1);
}
let publicUrl = '';
/** The accounts that a visitor of the dashboard can sign in to. */
const signInAccounts: DemoAccount[] = [];
// Receivers of destinations run on the same machine.
const local = { ...config, destinations: { ...config.destinations, allowsLoopback: true } };
const service = await compose(local, (parts) => ({
  fakePayments: () => {
    const referenceFor = async (id: AccountId) => {
      const issued = await parts.makeCheckoutReference(id);
      if (isRefusal(issued))
        throw new Error(`cannot create a checkout reference for the demo: ${issued.refused}`);
      return issued.reference;
    };
    const processor = new FakeStripe({ secret, clock: parts.clock, referenceFor });
    return (account, outcome) => processor.pay(publicUrl, account, outcome);
  },
  demoAccounts: () => () => signInAccounts,
}));
const goLive = await publishStories(service.parts, options.otherLanguages);
const starting = startService(service, config);
const stopPublishing = goLive();
stopOnSignals({
  log: service.parts.log,
  stop: async () => {
    stopPublishing();
    await (await starting).stop();
  },
});
const running = await starting.catch((fault: unknown) =>
  fail(`cannot start: ${fault instanceof Error ? fault.message : fault}`),
);
publicUrl = `http://127.0.0.1:${running.port}`;
const accounts = await openDemoAccounts(service.parts);
for (const plan of PLAN_NAMES)
  signInAccounts.push({ id: accounts[plan].id, label: accountText(service.parts.plans[plan]) });

console.log(frontPageText(running.port));
console.error(addressesText(running));
const ignored = ignoredSettingsText(environment);
if (ignored !== null) console.error(ignored);
console.log(keysText(accounts, running.port));
console.log(paymentsText(config, running.internalPort, accounts.pro));
console.log('Ctrl-C stops the demo.');

function fail(fault: unknown): never {
  console.error(`oddswire: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(1);
}
