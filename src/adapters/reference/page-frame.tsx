import type { ComponentChildren } from 'preact';
import { type AssetName, assetUrl } from '../dashboard/assets.js';
import { DISCLAIMER } from '../dashboard/page/disclaimer.js';
import { contactText } from '../http/answer/service-links.js';

/** The path below which these pages load their files. That of the dashboard answers only over a private connection. */
export const ASSETS = '/docs/assets';

const assetAt = (name: AssetName): string => assetUrl(name, ASSETS);

type FrameProps = {
  readonly title: string;
  readonly summary: string;
  /** The address of the page at `PUBLIC_URL`; without it, no address is the right one for its text. */
  readonly address?: string;
  /** The address of the same text as Markdown. */
  readonly markdown?: string;
  readonly modules?: readonly AssetName[];
  /** In addition to those of all public pages. */
  readonly styles?: readonly AssetName[];
  /** The item of the main navigation that is marked as current. */
  readonly active: '/' | '/docs' | '/status' | null;
  /** Where a visitor reaches a person: a `mailto:`, `tel:` or `https:` address. */
  readonly support: string | undefined;
  readonly children: ComponentChildren;
};

const NAVIGATION = [
  { path: '/docs', label: 'Documentation' },
  { path: '/status', label: 'Status' },
  { path: '/dashboard', label: 'Dashboard' },
] as const;

const STYLES: readonly AssetName[] = ['tokens.css', 'dashboard.css', 'reference.css'];

/** The frame of the public pages, which everyone sees alike. They work without scripts, except for sending requests. */
export const PageFrame = ({
  title,
  summary,
  address,
  markdown,
  modules,
  styles,
  active,
  support,
  children,
}: FrameProps) => (
  <html lang="en">
    <PageHead
      title={title}
      summary={summary}
      modules={modules ?? []}
      styles={styles ?? []}
      {...(address !== undefined && { address })}
      {...(markdown !== undefined && { markdown })}
    />
    <body class="public">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header active={active} />
      {children}
      <Footer support={support} />
    </body>
  </html>
);

type HeadProps = Pick<FrameProps, 'title' | 'summary' | 'address' | 'markdown' | 'modules' | 'styles'>;

/** The head of a page. It names no other page, so a page of the internal listener has it too. */
export const PageHead = ({ title, summary, address, markdown, modules, styles }: HeadProps) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content={summary} />
    <title>{title}</title>
    {address !== undefined && <link rel="canonical" href={address} />}
    {markdown !== undefined && <link rel="alternate" type="text/markdown" href={markdown} />}
    <link rel="icon" href={assetAt('icon.svg')} />
    <link rel="preload" as="font" type="font/woff2" href={assetAt('inter.woff2')} crossOrigin="anonymous" />
    {STYLES.concat(styles ?? []).map((name) => (
      <link key={name} rel="stylesheet" href={assetAt(name)} />
    ))}
    {modules?.map((name) => (
      <script key={name} type="module" src={assetAt(name)} />
    ))}
  </head>
);

const Header = ({ active }: Pick<FrameProps, 'active'>) => (
  <header class="top">
    <a class="brand" href="/" aria-current={active === '/' ? 'page' : undefined}>
      <img src={assetAt('icon.svg')} alt="" width="20" height="20" />
      Oddswire
    </a>
    <nav aria-label="Main">
      <ul>
        {NAVIGATION.map(({ path, label }) => (
          <li key={path}>
            <a href={path} aria-current={path === active ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  </header>
);

const Footer = ({ support }: Pick<FrameProps, 'support'>) => (
  <footer>
    <p>{DISCLAIMER}</p>
    {support !== undefined && (
      <p>
        Questions? <a href={support}>{contactText(support)}</a>
      </p>
    )}
  </footer>
);

/** A contact as readers know it: without the scheme of an email address or a telephone number, or the subject of an email. */
