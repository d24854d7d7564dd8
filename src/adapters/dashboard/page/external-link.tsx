import type { ComponentChildren } from 'preact';
import { isWebLink } from '../../../domain/feed/web-link.js';

/** A link to an address from a publisher: http and https only, and without a referrer. */
export const ExternalLink = ({
  href,
  children,
}: {
  readonly href: string | null;
  readonly children: ComponentChildren;
}) =>
  href !== null && isWebLink(href) ? (
    <a href={href} rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
