import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

export const GLASSWING = storyMarket({
  slug: 'glasswing-release',
  title: 'When does Brightkelp’s Glasswing go on sale?',
  turnover: 23_000,
  subMarkets: {
    'autumn-fair': ['Will the Glasswing go on sale before the autumn fair?', 61],
    price: ['Will the Glasswing cost less than 600 crowns at launch?', 47],
  },
});

export const KIRIHAMA_PLANT = storyMarket({
  slug: 'kirihama-chips',
  title: 'Kirihama Semiconductor: second plant and yields',
  turnover: 15_600,
  subMarkets: {
    plant: ['Will Kirihama Semiconductor announce a second plant this year?', 35],
    yield: ['Will Kirihama report a yield above 60% for its two-layer chips?', 48],
  },
});

const SUNDREL_AI_ACT = storyMarket({
  slug: 'sundrel-ai-act',
  title: 'Sundrel: law on automated decisions',
  turnover: 11_200,
  subMarkets: {
    passed: ['Will Sundrel’s parliament pass the automated decisions act this year?', 58],
    'in-force': ['Will the automated decisions act be in force before the next election?', 39],
  },
});

const displays: Story = {
  id: 'ne_glasswing-displays',
  outlet: OUTLETS.understorey,
  author: 'Fenwick Applegarth-Ndele',
  categories: ['technology', 'supply_chains'],
  relevance: 'high',
  headline: 'Supplier of Glasswing displays tells investors to expect a ten-week delay',
  shortHeadline: 'Glasswing displays delayed by ten weeks',
  summary:
    'Lumen Sheet, the only maker of the folding display of Brightkelp’s e-reader, said that a coating line had to be rebuilt.',
  details: [
    'The company did not name its customer, but Brightkelp Foundry accounts for two thirds of its orders.',
    'Brightkelp has said only that it “works with several partners”.',
    'The autumn fair opens in 21 weeks. Assembly and shipping take about 14.',
  ],
  markets: [
    bearsOn(GLASSWING, {
      relevance: 'high',
      summary: 'The Glasswing cannot be assembled without this display.',
      effects: [
        {
          on: 'autumn-fair',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 16,
          because: [
            'Ten weeks of delay and 14 for assembly and shipping add up to 24. The fair is 21 weeks away.',
          ],
        },
        {
          on: 'price',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'low',
          points: 3,
          because: [
            'A rebuilt line makes the display dearer, but Brightkelp has absorbed such costs at earlier launches.',
          ],
        },
      ],
    }),
  ],
};

const secondSupplier: Story = {
  id: 'ne_glasswing-second-supplier',
  outlet: OUTLETS.ledger,
  author: 'Şirin Taşyelken',
  categories: ['technology', 'companies'],
  relevance: 'medium',
  headline: 'Brightkelp signs Kirihama as second source for Glasswing displays',
  shortHeadline: 'Brightkelp finds a second display maker',
  summary:
    'Kirihama Semiconductor will deliver displays from next month, Brightkelp said in a notice to shareholders.',
  details: [
    'The first batch covers 200,000 readers, about half of the planned launch quantity.',
    'The displays come from a line that Kirihama had mothballed.',
    'Brightkelp repeated that the reader will be “in shops when the leaves turn”.',
  ],
  markets: [
    bearsOn(GLASSWING, {
      relevance: 'high',
      summary: 'A second supplier makes up for the delay at the first.',
      effects: [
        {
          on: 'autumn-fair',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: [
            'Displays next month leave enough time to assemble and ship half of the planned quantity before the fair.',
          ],
        },
      ],
    }),
    bearsOn(KIRIHAMA_PLANT, {
      relevance: 'low',
      summary: 'The order fills a line that Kirihama already owns.',
      effects: [
        {
          on: 'plant',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'The order uses idle capacity, so it is no reason to build. It brings in cash, but too little for a plant.',
          ],
        },
      ],
    }),
  ],
};

const subsidy: Story = {
  id: 'ne_kirihama-subsidy',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['technology', 'industry'],
  relevance: 'high',
  headline: 'Kirihama city council approves a subsidy of 900 million crowns for chip makers',
  shortHeadline: 'Kirihama approves chip subsidy',
  summary:
    'The money is tied to a condition: building work must begin within twelve months of the application.',
  details: [
    'Kirihama Semiconductor had said that it would not build a second plant without public money.',
    'The council voted 31 to 12 after a debate of nine hours.',
    'Applications close in the autumn.',
  ],
  markets: [
    bearsOn(KIRIHAMA_PLANT, {
      relevance: 'high',
      summary: 'The company has made a second plant depend on this decision.',
      effects: [
        {
          on: 'plant',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 19,
          because: [
            'The condition that the company named is met, and the deadline for applications falls in this year.',
            'An application would itself be an announcement.',
          ],
        },
      ],
    }),
  ],
};

const aiBill: Story = {
  id: 'ne_sundrel-ai-bill-delay',
  outlet: OUTLETS.sundrelHerald,
  author: 'Corin Teague',
  categories: ['technology', 'regulation'],
  relevance: 'medium',
  headline: 'Sundrel’s bill on automated decisions gains votes, and a two-year transition',
  shortHeadline: 'Sundrel AI bill gains a transition period',
  summary:
    'A committee accepted the transition that banks had asked for. Two opposition parties will now vote for the bill.',
  details: [
    'The bill gives people the right to an explanation when a machine refuses them credit or work.',
    'It would apply two years after it is passed instead of six months.',
    'The next election is due in 20 months.',
  ],
  markets: [
    bearsOn(SUNDREL_AI_ACT, {
      relevance: 'high',
      summary: 'The change makes the bill easier to pass and later to apply.',
      effects: [
        {
          on: 'passed',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: ['With the two parties the bill has 74 of 101 votes. Before, it had 52 at best.'],
        },
        {
          on: 'in-force',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 30,
          because: [
            'A transition of two years ends after the election in 20 months, even if the bill is passed tomorrow.',
          ],
        },
      ],
    }),
  ],
};

export const TECHNOLOGY = { displays, secondSupplier, subsidy, aiBill };
