import type { ComponentChildren } from 'preact';
import type { NavigationItem, Viewer } from '../state.js';
import { Layout } from './layout.js';

/** A page with one message and a link to the next page. */
export const MessagePage = ({
  title,
  viewer,
  activePath,
  next,
  demo,
  children,
}: {
  readonly title: string;
  readonly viewer: Viewer | null;
  /** The navigation item that is marked as current. */
  readonly activePath?: string;
  readonly next: NavigationItem;
  readonly demo?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <Layout title={title} viewer={viewer} {...(activePath !== undefined && { activePath })} demo={demo}>
    {children}
    <p>
      <a class="button" href={next.path}>
        {next.label}
      </a>
    </p>
  </Layout>
);
