import type { ComponentChildren } from 'preact';
import { type AssetName, assetUrl } from '../assets.js';
import type { Viewer } from '../state.js';
import { AccessBanner } from './access-banner.js';
import { DISCLAIMER } from './disclaimer.js';

type LayoutProps = {
  readonly title: string;
  /** Null if nobody is signed in. */
  readonly viewer: Viewer | null;
  /** The navigation item that is marked as current. */
  readonly activePath?: string;
  readonly modules?: readonly AssetName[];
  readonly styles?: readonly AssetName[];
  /** Scripts that are not modules: the chart library. */
  readonly scripts?: readonly AssetName[];
  /** The controls of the demo: on the sign-in page above the content, then at the bottom of the window. */
  readonly demo?: ComponentChildren;
  /** At the right of the heading: the main action of the page, or a badge. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** The frame of every page. Pages work without scripts; scripts only add to them. */
export const Layout = ({
  title,
  viewer,
  activePath,
  modules,
  styles,
  scripts,
  demo,
  beside,
  children,
}: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{`${title} · Oddswire`}</title>
      <link rel="icon" href={assetUrl('icon.svg')} />
      <Styles names={styles ?? []} />
      {scripts?.map((name) => (
        <script key={name} defer src={assetUrl(name)} />
      ))}
      {modules?.map((name) => (
        <script key={name} type="module" src={assetUrl(name)} />
      ))}
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={viewer?.navigation[0]?.path ?? '/'}>
          <img src={assetUrl('icon.svg')} alt="" width="20" height="20" />
          Oddswire
        </a>
        {viewer !== null && <Navigation viewer={viewer} activePath={activePath} />}
      </header>
      {demo}
      <main id="content">
        {viewer?.access && <AccessBanner viewer={viewer} access={viewer.access} activePath={activePath} />}
        <Heading title={title} beside={beside} />
        {children}
      </main>
      <Footer />
    </body>
  </html>
);

const Heading = ({ title, beside }: Pick<LayoutProps, 'title' | 'beside'>) =>
  beside === undefined ? (
    <h1>{title}</h1>
  ) : (
    <div class="heading">
      <h1>{title}</h1>
      {beside}
    </div>
  );

/** The font is asked for at once: a browser finds its address in a style only later. */
const Styles = ({ names }: { readonly names: readonly AssetName[] }) => (
  <>
    <link rel="preload" as="font" type="font/woff2" href={assetUrl('inter.woff2')} crossOrigin="anonymous" />
    {(['tokens.css', 'dashboard.css', ...names] as const).map((name) => (
      <link key={name} rel="stylesheet" href={assetUrl(name)} />
    ))}
  </>
);

const Footer = () => (
  <footer>
    <p>
      {DISCLAIMER} All times are in UTC. <a href="/docs">Documentation</a>
    </p>
  </footer>
);

const Navigation = ({
  viewer,
  activePath,
}: {
  readonly viewer: Viewer;
  readonly activePath: string | undefined;
}) => (
  <>
    <nav aria-label="Main">
      <ul>
        {viewer.navigation.map(({ path, label }) => (
          <li key={path}>
            <a href={path} aria-current={path === activePath ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <details class="account">
      <summary>{viewer.name}</summary>
      <AccountMenu viewer={viewer} />
    </details>
  </>
);

const AccountMenu = ({ viewer }: { readonly viewer: Viewer }) => (
  <div class="account-menu">
    <p>
      <strong>{viewer.name}</strong>
      {viewer.planTitle !== null && <span class="quiet">{viewer.planTitle} plan</span>}
    </p>
    <a href="/docs">Docs</a>
    <a href="/status">Status</a>
    <form method="post" action={viewer.signOutPath}>
      <FormToken viewer={viewer} />
      <button type="submit" class="plain">
        Sign out
      </button>
    </form>
    <a href={`${viewer.signOutPath}/everywhere`}>Sign out everywhere…</a>
  </div>
);

/** Required in every form of a signed-in user. */
export const FormToken = ({ viewer }: { readonly viewer: Viewer }) => (
  <input type="hidden" name="form_token" value={viewer.formToken} />
);
