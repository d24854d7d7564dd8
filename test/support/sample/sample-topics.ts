/** A topic of sample stories. All countries, institutions, companies and events are invented. */
export type SampleTopic = {
  readonly categories: readonly string[];
  /** Markets in `sample-markets.ts`; one of them is the first related market of a story. */
  readonly markets: readonly [string, ...string[]];
  readonly headlines: readonly [string, ...string[]];
  readonly background: string;
};

export const SAMPLE_TOPICS: readonly [SampleTopic, ...SampleTopic[]] = [
  {
    categories: ['geopolitics'],
    markets: ['halvex-strait', 'karvenia-accord'],
    headlines: [
      'Karvenia and Tolmere agree to reopen the Halvex Strait to freight',
      'Karvenia sends a second envoy to the strait talks, diplomats say',
      'Karwenien und Tolmere nähern sich in der Frage der Meerenge an',
      'La Karvénie suspend les patrouilles dans le détroit de Halvex',
    ],
    background:
      'Karvenia closed the Halvex Strait to foreign freight two winters ago after a quarrel over pilot fees, and Tolmere answered with a levy on Karvenian timber.',
  },
  {
    categories: ['politics', 'elections'],
    markets: ['brannoch-assembly', 'tolmere-chancellor'],
    headlines: [
      'Brannoch assembly race tightens as the Lantern list gains in the islands',
      'Tolmere’s chancellor will not say whether a second term is wanted',
      'Las islas de Brannoch votarán antes de la cosecha, según la comisión',
      'Wyspy Brannoch: komisja przyspiesza liczenie głosów z latarni',
    ],
    background:
      'The Isles of Brannoch elect their assembly by island, and a list needs seats on at least five of the nine islands before it may name a speaker.',
  },
  {
    categories: ['economy', 'central_banks'],
    markets: ['tolmere-rate', 'sundrel-inflation'],
    headlines: [
      'Bank of Tolmere hints that its key rate has peaked',
      'Sundrel prices rise more slowly than the mint had forecast',
      'Zentralbank von Tolmere lässt den Leitzins unverändert, warnt aber vor Übermut',
      'スンドレルの物価上昇、予想を下回る',
    ],
    background:
      'The Bank of Tolmere meets every seventh week and publishes how each of its eleven governors voted, which makes a change of tone easy to see.',
  },
  {
    categories: ['climate', 'weather'],
    markets: ['merrowind-storms', 'orvaux-harvest'],
    headlines: [
      'Forecasters expect an early start to the Merrowind storm season',
      'Sécheresse à Orvaux : la récolte de lin menacée pour la troisième année',
      'Merrowind buoys record the warmest spring water since they were laid',
      'Uvanlig varmt vann øker faren for høststormer på Merrowind',
    ],
    background:
      'Storms over the Merrowind are named once their gusts pass thirty metres a second at two of the six weather buoys.',
  },
  {
    categories: ['technology'],
    markets: ['glasswing-release', 'kirihama-chips'],
    headlines: [
      'Brightkelp Foundry moves the Glasswing launch to the autumn fair',
      'Kirihama plant starts trial runs of its two-layer chips',
      '霧浜工場、新型チップの試験生産を開始',
      'Brightkelp Foundry hires a second test house for the Glasswing',
    ],
    background:
      'Brightkelp Foundry has announced the Glasswing reader three times and shown it to the public once, behind glass and switched off.',
  },
  {
    categories: ['energy', 'commodities'],
    markets: ['quillmoor-wind', 'ambergas-price'],
    headlines: [
      'Quillmoor wind park passes its last inspection before full load',
      'Ambergas futures slip as Peñalumbre refills its caverns',
      'Peñalumbre llena sus cavernas de ambargás antes de lo previsto',
      'Park wiatrowy Quillmoor: próba pełnej mocy jeszcze w tym miesiącu',
    ],
    background:
      'Ambergas is stored in the salt caverns below Peñalumbre, and the winter price follows how full they are on the first day of frost.',
  },
  {
    categories: ['sports'],
    markets: ['copper-oar', 'lanternball-final'],
    headlines: [
      'Copper Oar regatta: crews choose the short course after the flood',
      'Lanternball: Fjordholm reach the final by one lamp',
      'Lanternboll: Fjordholm vidare efter dramatisk förlängning',
      'Die Ruderinnen von Möwenstedt streichen ihr Boot um',
    ],
    background:
      'The Copper Oar is rowed by eights on the lower Sarn, over the long or the short course as the river allows, and was last postponed nine years ago.',
  },
  {
    categories: ['science', 'space'],
    markets: ['petrel-probe', 'deep-well'],
    headlines: [
      'Petrel probe wakes for its last correction before arrival',
      'Deep Well drillers reach the blue layer ahead of plan',
      'Το βαθύ πηγάδι έφτασε στο γαλάζιο στρώμα νωρίτερα',
      'Sonde Petrel : dernier réveil avant l’arrivée',
    ],
    background:
      'The Petrel probe left nine years ago for the small moon Iselle and has to brake within a window of forty minutes or fly past it.',
  },
  {
    categories: ['culture'],
    markets: ['silver-thimble', 'orvaux-carnival'],
    headlines: [
      'Silver Thimble jury adds an eighth film to its short list',
      'Carnaval d’Orvaux : le défilé des géants déplacé au dimanche',
      '“The Salt Orchard” leads the Silver Thimble nominations',
      'El jurado del Dedal de Plata cambia sus reglas a última hora',
    ],
    background:
      'The Silver Thimble is given by a jury of seamstresses and projectionists, who vote twice and burn the first ballot unread.',
  },
  {
    categories: ['law', 'regulation'],
    markets: ['brightkelp-ruling', 'ferry-charter'],
    headlines: [
      'Court of the Nine Bridges sets a date in the Brightkelp case',
      'Ferry charter: the commission asks for one more hearing',
      'Gericht der Neun Brücken vertagt Urteil über Fährkonzession',
      'Sąd Dziewięciu Mostów wyznacza termin w sprawie Brightkelp',
    ],
    background:
      'The Court of the Nine Bridges sits as three, five or nine judges; only the nine can set aside a charter, and they have done so twice.',
  },
];
