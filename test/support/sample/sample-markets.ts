/** An invented market of the sample feed, with its sub-markets. */
export type SampleMarket = {
  readonly slug: string;
  readonly title: string;
  readonly subTitles: readonly string[];
};

const market = (slug: string, title: string, ...subTitles: readonly string[]): SampleMarket => ({
  slug,
  title,
  subTitles,
});

const before = (what: string, ...ends: readonly string[]): readonly string[] =>
  ends.map((end) => `Will ${what} before ${end}?`);

const named = (what: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `Will ${name} ${what}?`);

export const SAMPLE_MARKETS: readonly [SampleMarket, ...SampleMarket[]] = [
  market(
    'halvex-strait',
    'When does the Halvex Strait reopen to freight?',
    ...before('the Halvex Strait reopen to freight', 'the spring tide', 'midsummer', 'the year ends'),
  ),
  market(
    'karvenia-accord',
    'Accord between Karvenia and Tolmere',
    ...before('the accord be signed', 'the envoys leave', 'the timber levy lapses'),
    'Will the accord name a pilot fee?',
    'Will Sundrel host the signing?',
  ),
  market(
    'brannoch-assembly',
    'Which list wins the Brannoch assembly?',
    ...named('name the speaker', 'the Lantern list', 'the Harbour list', 'the List of the Nine', 'no list'),
  ),
  market(
    'tolmere-chancellor',
    'The next chancellor of Tolmere',
    ...named('hold the office a year from now', 'the present chancellor', 'someone of the Mill bench'),
  ),
  market(
    'tolmere-rate',
    'Bank of Tolmere: decision at the next meeting',
    ...named('be the decision', 'a cut of a quarter', 'no change', 'a rise of a quarter'),
    'Will all eleven governors vote alike?',
  ),
  market(
    'sundrel-inflation',
    'Sundrel: inflation over the year',
    ...['2', '3', '4', '5'].map((rate) => `Will Sundrel report inflation above ${rate} %?`),
  ),
  market(
    'merrowind-storms',
    'How many storms are named over the Merrowind?',
    ...['eight', 'twelve', 'sixteen'].map((count) => `Will at least ${count} storms be named?`),
  ),
  market(
    'orvaux-harvest',
    'Orvaux flax harvest',
    'Will the Orvaux harvest beat last year’s?',
    'Will Orvaux ration water before the harvest?',
  ),
  market(
    'glasswing-release',
    'When does the Glasswing go on sale?',
    ...before('the Glasswing go on sale', 'the autumn fair', 'the year ends', 'the next spring fair'),
  ),
  market(
    'kirihama-chips',
    'Kirihama two-layer chips',
    'Will Kirihama ship two-layer chips this year?',
    'Will Kirihama announce a second plant?',
    'Will yields at Kirihama pass one half?',
  ),
  market(
    'quillmoor-wind',
    'Quillmoor wind park at full load',
    ...before('Quillmoor run at full load for a day', 'the first frost', 'the year ends'),
  ),
  market(
    'ambergas-price',
    'Ambergas on the first day of frost',
    ...['40', '55', '70', '85'].map((price) => `Will ambergas cost more than ${price} crowns?`),
  ),
  market(
    'copper-oar',
    'Winner of the Copper Oar',
    ...named('win the Copper Oar', 'Möwenstedt', 'Sarnmouth', 'Upper Tolmere', 'Peñalumbre', 'a novice crew'),
  ),
  market(
    'lanternball-final',
    'The lanternball final',
    ...named('win the final', 'Fjordholm', 'Ørnskar'),
    'Will the final go to extra lamps?',
  ),
  market(
    'petrel-probe',
    'Petrel reaches Iselle',
    'Will Petrel enter orbit around Iselle?',
    'Will Petrel land before its batteries fail?',
    'Will a picture of Iselle be shown within a week?',
  ),
  market(
    'deep-well',
    'How deep does the Deep Well go this season?',
    ...['nine', 'ten', 'eleven'].map((depth) => `Will the Deep Well pass ${depth} kilometres?`),
  ),
  market(
    'silver-thimble',
    'The Silver Thimble for best film',
    ...named(
      'win the Silver Thimble',
      '“The Salt Orchard”',
      '“Nine Bridges”',
      '“Úrsula y el faro”',
      'a debut',
    ),
  ),
  market(
    'orvaux-carnival',
    'Orvaux carnival',
    'Will the giants of Orvaux walk on Sunday?',
    'Will the carnival of Orvaux draw a record crowd?',
  ),
  market(
    'brightkelp-ruling',
    'The Brightkelp ruling',
    'Will the court rule for Brightkelp Foundry?',
    'Will the ruling be unanimous?',
    'Will Brightkelp Foundry appeal?',
  ),
  market(
    'ferry-charter',
    'Who holds the ferry charter?',
    ...named('be given the ferry charter', 'the Sarn Boatmen', 'the Lantern Line', 'Hraunberg & Daughters'),
  ),
];
