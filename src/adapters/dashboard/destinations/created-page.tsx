import type { ComponentChildren } from 'preact';
import type { Destination, Target } from '../../../domain/destinations/destination.js';
import { feedPath } from '../../../domain/destinations/feed-token.js';
import type { Moment } from '../../../domain/moment.js';
import { FormToken, Layout } from '../page/layout.js';
import { At } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { CONFIRMATION_TEXT } from './destination-flash.js';
import { DESTINATIONS_PATH, destinationPath } from './destination-page.js';
import type { SentConfirmation } from './send-confirmation.js';

type CreatedProps = {
  readonly viewer: Viewer;
  readonly destination: Destination;
  /** The secret of a webhook, or the token of a feed. */
  readonly once: string | null;
  /** Null if none was necessary. */
  readonly confirmation: SentConfirmation | null;
  readonly publicUrl: string;
  readonly demo: ComponentChildren;
};

/** The answer to a form that created a destination. It shows what is secret of it, once. */
export const CreatedPage = (props: CreatedProps) => {
  const { viewer, destination, demo } = props;
  return (
    <Layout
      title="Your new destination"
      viewer={viewer}
      activePath={DESTINATIONS_PATH}
      modules={['copy.js']}
      demo={demo}
    >
      {NEXT_STEPS[destination.target.kind](props)}
      <p>
        <a href={destinationPath(destination.id)}>View {destination.label}</a>
      </p>
    </Layout>
  );
};

const NEXT_STEPS: Readonly<Record<Target['kind'], (props: CreatedProps) => ComponentChildren>> = {
  webhook: ({ viewer, destination, once }) => (
    <>
      <p>Copy the secret now: it is shown only once. Your receiver verifies deliveries with it.</p>
      <SecretText id="secret" text={once ?? ''} copies="Copy secret" />
      <p>Then send a test: deliveries begin when your receiver answers it with a status from 200 to 299.</p>
      <TestForm viewer={viewer} destination={destination} />
    </>
  ),
  slack: ({ viewer, destination }) => (
    <>
      <p>Send a test: messages begin when it is accepted.</p>
      <TestForm viewer={viewer} destination={destination} />
    </>
  ),
  email: ({ confirmation, destination }) => (
    <p>
      {confirmation === null
        ? `Emails to ${destination.target.kind === 'email' ? destination.target.address : ''} begin with the next change.`
        : CONFIRMATION_TEXT[confirmation].text}
    </p>
  ),
  feed: ({ once, publicUrl }) => (
    <>
      <p>
        Copy the address into your feed reader now: it is shown only once. Who has it can read the feed. If it
        leaks, remove this destination and create a new one.
      </p>
      <SecretText id="feed-address" text={`${publicUrl}${feedPath(once ?? '')}`} copies="Copy address" />
    </>
  ),
};

const SecretText = ({
  id,
  text,
  copies,
}: {
  readonly id: string;
  readonly text: string;
  readonly copies: string;
}) => (
  <div class="copyable">
    <code id={id} data-once="">
      {text}
    </code>
    <button type="button" data-copies={id} hidden>
      {copies}
    </button>
  </div>
);

export const TestForm = ({
  viewer,
  destination,
}: {
  readonly viewer: Viewer;
  readonly destination: Pick<Destination, 'id'>;
}) => (
  <form method="post" action={`${destinationPath(destination.id)}/test`}>
    <FormToken viewer={viewer} />
    <button type="submit">Send a test</button>
  </form>
);

/** The answer to the rotation of a secret. */
export const NewSecretPage = ({
  viewer,
  destination,
  secret,
  until,
  demo,
}: Pick<CreatedProps, 'viewer' | 'destination' | 'demo'> & {
  readonly secret: string;
  /** Until when the old secret signs, too. */
  readonly until: Moment;
}) => (
  <Layout
    title={`New secret of ${destination.label}`}
    viewer={viewer}
    activePath={DESTINATIONS_PATH}
    modules={['copy.js']}
    demo={demo}
  >
    <p>Copy the secret now: it is shown only once.</p>
    <SecretText id="secret" text={secret} copies="Copy secret" />
    <p>
      Each delivery has two signatures until <At at={until} />: one with the new secret, and one with the old
      secret. Deploy the new secret before that time.
    </p>
    <p>
      <a class="button" href={destinationPath(destination.id)}>
        I have copied the secret
      </a>
    </p>
  </Layout>
);
