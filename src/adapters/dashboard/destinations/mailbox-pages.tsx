import { Layout } from '../page/layout.js';
import { Notice } from '../page/notice.js';

/** What a link in an email does. */
export type MailboxAction = 'confirm' | 'unsubscribe';

type ActionText = {
  readonly title: string;
  readonly asks: (address: string) => string;
  readonly button: string;
  readonly done: string;
};

const TEXTS: Readonly<Record<MailboxAction, ActionText>> = {
  confirm: {
    title: 'Confirm emails',
    asks: (address) =>
      `An account of this service wants to send news events and their prediction markets to ${address}. Confirm only if you want these emails.`,
    button: 'Send me these emails',
    done: 'The emails begin with the next change. Each has a link to unsubscribe.',
  },
  unsubscribe: {
    title: 'Unsubscribe',
    asks: (address) => `The emails with changes of the feed to ${address} end at once.`,
    button: 'Unsubscribe',
    done: 'You are unsubscribed. No further emails are sent.',
  },
};

/** Asks with one button: programs for email open the links in emails, and that alone must change nothing. */
export const AskMailboxPage = ({
  action,
  address,
  path,
}: {
  readonly action: MailboxAction;
  readonly address: string;
  /** The address of the page, with the token. */
  readonly path: string;
}) => {
  const { title, asks, button } = TEXTS[action];
  return (
    <Layout title={title} viewer={null}>
      <p>{asks(address)}</p>
      <form method="post" action={path}>
        <button type="submit">{button}</button>
      </form>
    </Layout>
  );
};

export const MailboxDonePage = ({ action }: { readonly action: MailboxAction }) => {
  const { title, done } = TEXTS[action];
  return (
    <Layout title={title} viewer={null}>
      <Notice kind="good">
        <p>{done}</p>
      </Notice>
    </Layout>
  );
};

export const INVALID_LINK = {
  title: 'Link not valid',
  text: 'The link is incomplete, has expired or is no longer needed. Nothing was changed. The owner of the account can send another link.',
} as const;
