import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';
import { COASTAL_GAS } from '../economy/energy.js';

export const HALVEX_STRAIT = storyMarket({
  slug: 'halvex-strait',
  title: 'When does the Halvex Strait reopen to freight?',
  turnover: 156_000,
  subMarkets: {
    midsummer: ['Will the Halvex Strait reopen to freight before midsummer?', 36],
    'year-end': ['Will the Halvex Strait reopen to freight before the year ends?', 70],
  },
});

const FISHERIES_ACCORD = storyMarket({
  slug: 'fisheries-accord',
  title: 'Karvenia and Tolmere: fisheries accord',
  turnover: 9_400,
  subMarkets: {
    signed: ['Will Karvenia and Tolmere sign a fisheries accord this year?', 29],
  },
});

const talks: Story = {
  id: 'ne_halvex-talks-resume',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['geopolitics', 'shipping'],
  relevance: 'medium',
  headline: 'Karvenia and Tolmere resume talks on the Halvex Strait after seven weeks',
  shortHeadline: 'Talks on the Halvex Strait resume',
  summary: 'Delegations from both countries met in Sundrel, seven weeks after Karvenia broke off the talks.',
  details: [
    'Karvenia closed the strait to freight last autumn, in a dispute over the inspection of cargo.',
    'About 40 freighters a day used it before; they now sail around the cape, which takes eight days longer.',
    'Neither side gave details, but both agreed to meet again next week.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'high',
      summary: 'The strait reopens only if these two countries agree.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 6,
          because: [
            'Talks are a condition for an agreement before midsummer, and a second date has been set.',
            'Nothing has been agreed yet.',
          ],
        },
        {
          on: 'year-end',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 3,
          because: [
            'Most traders expected the talks to resume at some point this year, so the news adds little.',
          ],
        },
      ],
    }),
  ],
};

const agreement: Story = {
  id: 'ne_halvex-agreement',
  outlet: OUTLETS.halvexWire,
  author: 'Ansgar Thielemann',
  categories: ['geopolitics', 'shipping', 'energy'],
  relevance: 'high',
  headline: 'Karvenia and Tolmere agree to reopen the Halvex Strait to freight within two months',
  shortHeadline: 'Deal to reopen the Halvex Strait',
  summary:
    'Inspectors from Sundrel will check cargo at both ends of the strait. Freight may pass again six weeks after signature.',
  details: [
    'The foreign ministers initialled the text in Sundrel on Sunday night and will sign it within ten days.',
    'Karvenia closed the strait last autumn, and gas carriers have sailed around the cape since.',
    'Each side may suspend the agreement at 30 days’ notice.',
    'A paragraph on fishing rights was left for separate talks.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'high',
      summary: 'The agreement sets a date for the event that settles this market.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 24,
          because: [
            'Signature within ten days plus six weeks gives a date well before midsummer, and both governments have initialled the text.',
            'What remains is the risk that one side delays its signature.',
          ],
        },
        {
          on: 'year-end',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: ['Even with a delay of several months, the strait would reopen before the year ends.'],
        },
      ],
    }),
    bearsOn(COASTAL_GAS, {
      relevance: 'medium',
      summary: 'A third of the coast’s gas came through the strait before it closed.',
      effects: [
        {
          on: 'above-40',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 10,
          because: [
            'Gas carriers save eight days on each voyage once the strait is open, which lowers the cost of gas on the coast.',
            'Buyers who expect cheaper gas in two months bid less for gas that they would have to store.',
          ],
        },
      ],
    }),
    bearsOn(FISHERIES_ACCORD, {
      relevance: 'low',
      summary: 'The two governments left fishing rights for later talks.',
      effects: [
        {
          on: 'signed',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'Better relations help, but fishing rights were taken out of this text because the two sides could not agree on them.',
          ],
        },
      ],
    }),
  ],
};

const boarding: Story = {
  id: 'ne_halvex-freighter-boarded',
  outlet: OUTLETS.nightDesk,
  author: null,
  categories: ['geopolitics', 'shipping', 'unconfirmed'],
  relevance: 'medium',
  headline: 'Karvenian patrol boards a freighter in the Halvex Strait, says shipping agent',
  shortHeadline: 'Report: patrol boards freighter in strait',
  summary:
    'An agent in Sarnmouth says that a patrol boat stopped the freighter Solheim at dawn. There is no official word.',
  details: [
    'The agent says that he lost contact with the crew at five in the morning.',
    'The owner of the ship could not be reached.',
    'If confirmed, it would be the first boarding since the two countries agreed to reopen the strait.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'medium',
      summary: 'A boarding before the signature would put the agreement at risk.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 12,
          because: [
            'Tolmere has said that it will not sign while its ships are stopped, so a boarding would delay the opening.',
            'The report rests on one person who did not see the event.',
          ],
        },
      ],
    }),
  ],
};

const denial: Story = {
  id: 'ne_halvex-no-boarding',
  outlet: OUTLETS.noticeBoard,
  author: 'Tolmere Coastguard',
  categories: ['geopolitics', 'shipping'],
  relevance: 'low',
  headline: 'Tolmere Coastguard: no ship was boarded in the Halvex Strait',
  shortHeadline: 'Coastguard: no ship was boarded',
  summary:
    'The freighter Solheim had a radio fault, is under way and was never stopped, the coastguard says.',
  details: [
    'A bulletin had reported a boarding on the word of a shipping agent, and has withdrawn the report.',
    'The coastguard spoke to the master of the ship by satellite telephone.',
    'The agreement on the strait will be signed on the planned day, the foreign ministry added.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'medium',
      summary: 'The statement removes a doubt about the agreement that decides this market.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 4,
          because: [
            'The false report is withdrawn, and the ministry has confirmed the date of the signature, which supports the price a little.',
          ],
        },
      ],
    }),
  ],
};

export const GEOPOLITICS = { talks, agreement, boarding, denial };
