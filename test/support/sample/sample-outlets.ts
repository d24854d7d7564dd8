/** A source of sample stories. All outlets and authors are invented. */
export type SampleOutlet = {
  readonly name: string;
  readonly domain: string;
  readonly type: string;
  readonly tier: string;
  /** Null for outlets without a feed URL. */
  readonly feed: string | null;
  /** Empty for outlets that do not name their authors. */
  readonly authors: readonly string[];
};

// biome-ignore format: a table is read by its columns
export const SAMPLE_OUTLETS: readonly [SampleOutlet, ...SampleOutlet[]] = [
  { name: 'The Halvex Wire',     domain: 'halvex-wire.example',      type: 'wire', tier: 't1', feed: '/latest.xml', authors: [] },
  { name: 'Tolmere Courier',     domain: 'tolmere-courier.example',  type: 'rss',  tier: 't1', feed: '/rss',        authors: ['Zoë Quarrelborn', 'Idris Penhollow-Vane', 'Maud Tethering'] },
  { name: 'Der Küstenbote',      domain: 'kuestenbote.example',      type: 'rss',  tier: 't1', feed: '/rss.xml',    authors: ['Jörg Weißdornbach', 'Änne Möwenstädt'] },
  { name: 'La Gazette d’Orvaux', domain: 'gazette-orvaux.example',   type: 'rss',  tier: 't2', feed: '/flux',       authors: ['Ghislaine d’Œuvrefontaine', 'Noël Çaprais-Hérault'] },
  { name: 'Diario de Peñalumbre', domain: 'penalumbre.example',      type: 'rss',  tier: 't2', feed: '/feed',       authors: ['Íñigo Zarzaluenga', 'Begoña Torrequemada'] },
  { name: 'Głos Zatoki',         domain: 'glos-zatoki.example',      type: 'rss',  tier: 't2', feed: '/kanal.xml',  authors: ['Łucja Wierzbomir', 'Świętosław Gżegżółka'] },
  { name: 'Fjordpost',           domain: 'fjordpost.example',        type: 'rss',  tier: 't2', feed: '/feed.atom',  authors: ['Åsa Tjernvålen', 'Ólöf Hraunbergsdóttir'] },
  { name: 'Εφημερίδα του Όρμου', domain: 'ormos.example',            type: 'rss',  tier: 't2', feed: '/rss',        authors: ['Μυρτώ Αλμυροπέτρη'] },
  { name: '霧浜通信',              domain: 'kirihama.example',         type: 'rss',  tier: 't2', feed: '/feed',       authors: ['桐乃原 みなせ'] },
  { name: 'Ledger & Loom',       domain: 'ledgerandloom.example',    type: 'rss',  tier: 't1', feed: '/markets.xml', authors: ['Perpetua Oakenshaw', 'Đorđe Rastkamen', 'Şirin Taşyelken'] },
  { name: 'Understorey',         domain: 'understorey.example',      type: 'web',  tier: 't3', feed: null,          authors: ['Fenwick Applegarth-Ndele'] },
  { name: 'Night Desk Bulletin', domain: 'nightdesk.example',        type: 'web',  tier: 't3', feed: null,          authors: [] },
];
