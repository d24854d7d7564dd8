import type { EnvironmentReader } from './environment.js';

/** What the public pages show. */
export type PageSettings = {
  /** Whether the public listener has pages for operators. */
  readonly operatorConsole: boolean;
  /** Whether the front page shows the newest item of the feed, which customers pay for, instead of a sample. */
  readonly frontPageHeadline: boolean;
  /** The contact of `security.txt`; undefined: there is none. */
  readonly securityContact: string | undefined;
  /** Where visitors of the public pages reach a person; undefined: the pages name nobody. */
  readonly supportContact: string | undefined;
};

export const readPages = (read: EnvironmentReader): PageSettings => ({
  operatorConsole: read.oneOf('OPERATOR_CONSOLE', 'on', ['on', 'off']) === 'on',
  frontPageHeadline: read.oneOf('FRONT_PAGE_HEADLINE', 'off', ['on', 'off']) === 'on',
  securityContact: readContact(read, 'SECURITY_CONTACT', 'mailto:security@example.com'),
  supportContact: readContact(read, 'SUPPORT_CONTACT', 'mailto:support@example.com'),
});

function readContact(read: EnvironmentReader, name: string, example: string): string | undefined {
  const contact = read.given(name);
  if (contact === undefined || /^(?:https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(contact)) return contact;
  read.refuse(`${name} must begin with https://, mailto: or tel:, like ${example}`);
  return undefined;
}
