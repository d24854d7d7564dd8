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

export type ListenerName = keyof typeof SERVICE_LINKS;

export const serviceLinks = (listener: ListenerName): string => SERVICE_LINKS[listener];

/** What the problem documents of a listener refer to. */
export type ProblemReferences = {
  /** The address of the documentation, without a slash at the end. */
  readonly docsUrl: () => string;
  /** The `Link` header. */
  readonly links: string;
};

export const problemReferences = (
  { publicAddress }: { readonly publicAddress: { readonly url: () => string } },
  listener: ListenerName,
): ProblemReferences => ({
  docsUrl: () => `${publicAddress.url()}/docs`,
  links: serviceLinks(listener),
});
