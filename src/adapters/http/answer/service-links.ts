const OPEN_API = '</openapi.json>; rel="service-desc"; type="application/json"';

/**
 * The `Link` headers (RFC 8631) with which a client finds the description of a listener. Addresses are relative to the
 * request, so they are right under every host name.
 */
const SERVICE_LINKS = {
  public: [
    OPEN_API,
    '</docs>; rel="service-doc"; type="text/html"',
    '</status>; rel="status"; type="application/json"',
  ].join(', '),
  internal: OPEN_API,
} as const;

/** A contact as text: the address of a `mailto:`, the number of a `tel:`, else the URL. */
export const contactText = (contact: string): string => contact.replace(/^mailto:([^?]*).*|^tel:/, '$1');

export type ListenerName = keyof typeof SERVICE_LINKS;

export const serviceLinks = (listener: ListenerName): string => SERVICE_LINKS[listener];

/** What the problem documents of a listener refer to. */
export type ProblemReferences = {
  /** The address of the documentation, without a slash at the end. */
  readonly docsUrl: () => string;
  /** The page of the dashboard on which a customer pays. */
  readonly planUrl: () => string;
  /** How customers reach the operator, as text; null if no contact is set. */
  readonly support: string | null;
  /** The `Link` header. */
  readonly links: string;
};

export const problemReferences = (
  {
    publicAddress,
    config: { supportContact },
  }: {
    readonly publicAddress: { readonly url: () => string };
    readonly config: { readonly supportContact: string | undefined };
  },
  listener: ListenerName,
): ProblemReferences => ({
  docsUrl: () => `${publicAddress.url()}/docs`,
  planUrl: () => `${publicAddress.url()}/dashboard/subscription`,
  support: supportContact === undefined ? null : contactText(supportContact),
  links: serviceLinks(listener),
});
