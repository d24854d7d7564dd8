/** A source of hand-written stories. All outlets are invented. */
export type StoryOutlet = {
  readonly name: string;
  readonly domain: string;
  readonly type: 'wire' | 'rss' | 'web' | 'press_release';
  readonly tier: 't1' | 't2' | 't3';
  /** Null for outlets without a feed URL. */
  readonly feed: string | null;
  /** Whether each story has an address of its own. */
  readonly linksStories: boolean;
};

// biome-ignore format: a table is read by its columns
export const OUTLETS = {
  halvexWire:      { name: 'The Halvex Wire',           domain: 'halvex-wire.example',      type: 'wire',          tier: 't1', feed: '/latest.xml',  linksStories: true },
  courier:         { name: 'Tolmere Courier',           domain: 'tolmere-courier.example',  type: 'rss',           tier: 't1', feed: '/rss',         linksStories: true },
  ledger:          { name: 'Ledger & Loom',             domain: 'ledgerandloom.example',    type: 'rss',           tier: 't1', feed: '/markets.xml', linksStories: true },
  sundrelHerald:   { name: 'Sundrel Herald',            domain: 'sundrel-herald.example',   type: 'rss',           tier: 't2', feed: '/news.xml',    linksStories: true },
  harbourGazette:  { name: 'Brannoch Harbour Gazette',  domain: 'harbour-gazette.example',  type: 'rss',           tier: 't2', feed: '/feed.atom',   linksStories: true },
  fieldAndPaddock: { name: 'Field & Paddock',           domain: 'field-paddock.example',    type: 'rss',           tier: 't2', feed: '/all.xml',     linksStories: true },
  benchNotes:      { name: 'Bench Notes',               domain: 'benchnotes.example',       type: 'rss',           tier: 't2', feed: '/feed',        linksStories: true },
  understorey:     { name: 'Understorey',               domain: 'understorey.example',      type: 'web',           tier: 't3', feed: null,           linksStories: true },
  nightDesk:       { name: 'Night Desk Bulletin',       domain: 'nightdesk.example',        type: 'web',           tier: 't3', feed: null,           linksStories: false },
  noticeBoard:     { name: 'Merrowind Notice Service',  domain: 'notices.example',          type: 'press_release', tier: 't2', feed: '/notices.xml', linksStories: true },
  kuestenbote:     { name: 'Der Küstenbote',            domain: 'kuestenbote.example',      type: 'rss',           tier: 't1', feed: '/rss.xml',     linksStories: true },
  gazetteOrvaux:   { name: 'La Gazette d’Orvaux',       domain: 'gazette-orvaux.example',   type: 'rss',           tier: 't2', feed: '/flux',        linksStories: true },
  penalumbre:      { name: 'Diario de Peñalumbre',      domain: 'penalumbre.example',       type: 'rss',           tier: 't2', feed: '/feed',        linksStories: true },
  farol:           { name: 'O Farol de Sarn',           domain: 'farol-sarn.example',       type: 'rss',           tier: 't3', feed: '/feed',        linksStories: true },
  kirihama:        { name: '霧浜通信',                      domain: 'kirihama.example',         type: 'rss',           tier: 't2', feed: '/feed',        linksStories: true },
  sahil:           { name: 'صحيفة الساحل',              domain: 'sahil.example',            type: 'rss',           tier: 't2', feed: '/rss',         linksStories: true },
} satisfies Record<string, StoryOutlet>;
