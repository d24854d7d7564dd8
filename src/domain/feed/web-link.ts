/**
 * An absolute URL (RFC 3986) of http or https without a user name: what clients and pages can link without care. Other schemes
 * can run a script, and a user name can pass for a host.
 */
const FORM =
  /^https?:\/\/(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:[/?](?:[\w.~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?$/i;

export const isWebLink = (text: string): boolean => FORM.test(text) && URL.canParse(text);

/** The rule in words, for publishers. */
export const WEB_LINK =
  'must be an absolute URL with http or https, and without a user name; percent-encode spaces, brackets and characters outside ASCII, and write the host name in Punycode';
