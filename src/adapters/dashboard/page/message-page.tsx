import type { ComponentChildren } from 'preact';
import { Layout, type NavigationItem, type Viewer } from './layout.js';

/** A page that says one thing, and where to go from there. */
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
  /** The place in the navigation that this page belongs to. */
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
