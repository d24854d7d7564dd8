import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

export const COASTAL_GAS = storyMarket({
  slug: 'coastal-gas',
  title: 'Coastal gas on the last trading day of the quarter',
  turnover: 66_000,
  subMarkets: {
    'above-40': ['Will coastal gas close the quarter above 40 crowns a unit?', 55],
    'above-55': ['Will coastal gas close the quarter above 55 crowns a unit?', 24],
  },
});

const QUILLMOOR = storyMarket({
  slug: 'quillmoor-wind',
  title: 'When does the Quillmoor wind farm reach full output?',
  turnover: 7_800,
  subMarkets: {
    midsummer: ['Will Quillmoor run at full output for a day before midsummer?', 52],
    'year-end': ['Will Quillmoor run at full output for a day before the year ends?', 86],
  },
});

const coldSpell: Story = {
  id: 'ne_gas-storage-cold-spell',
  outlet: OUTLETS.ledger,
  author: 'Đorđe Rastkamen',
  categories: ['energy', 'weather'],
  relevance: 'high',
  headline: 'Gas stores at Peñalumbre fall below 40% as forecasters extend the cold spell',
  shortHeadline: 'Gas stores fall below 40% in cold spell',
  summary:
    'The salt caverns are at 38%, eleven points below the average for the season, and ten more days of frost are forecast.',
  details: [
    'Withdrawals reached their highest daily rate in six years on Sunday.',
    'Two power stations that had switched to coal are back on gas because of a shortage of wagons.',
    'The operator says that supply is safe but that refilling will take until late summer.',
  ],
  markets: [
    bearsOn(COASTAL_GAS, {
      relevance: 'high',
      summary: 'The level of the stores is the main influence on the price in this quarter.',
      effects: [
        {
          on: 'above-40',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 12,
          because: [
            'In the three winters in which the stores fell below 40% this early, the quarter closed above 40 crowns each time.',
          ],
        },
        {
          on: 'above-55',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 8,
          because: [
            'A second cold spell would force buyers to bid for cargoes at sea, and those were last sold at 57 crowns.',
          ],
        },
      ],
    }),
  ],
};

const terminalFire: Story = {
  id: 'ne_gas-terminal-fire',
  outlet: OUTLETS.penalumbre,
  author: 'Begoña Torrequemada',
  categories: ['energy', 'accidents', 'breaking'],
  relevance: 'high',
  headline: 'Fire closes the larger of Peñalumbre’s two gas terminals',
  shortHeadline: 'Fire closes Peñalumbre gas terminal',
  summary:
    'Nobody was hurt. The operator expects the terminal, which handles a quarter of the coast’s imports, to stay shut for five weeks.',
  details: [
    'The fire damaged two of the three pumps that unload ships.',
    'Four carriers that were waiting outside the port have been sent elsewhere.',
    'The smaller terminal can take about half of the lost volume.',
    'The quarter ends in six weeks.',
  ],
  markets: [
    bearsOn(COASTAL_GAS, {
      relevance: 'high',
      summary: 'The terminal supplies a quarter of the gas that this price is about.',
      effects: [
        {
          on: 'above-40',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 16,
          because: [
            'An eighth of imports is missing for five of the six weeks that are left, while the stores are already low.',
          ],
        },
        {
          on: 'above-55',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 11,
          because: [
            'Diverted carriers will come back only for a higher price. How much higher depends on the weather.',
          ],
        },
      ],
    }),
  ],
};

const cableFault: Story = {
  id: 'ne_quillmoor-cable-fault',
  outlet: OUTLETS.understorey,
  author: 'Fenwick Applegarth-Ndele',
  categories: ['energy', 'climate'],
  relevance: 'medium',
  headline: 'Quillmoor’s export cable fails its pressure test, delaying the wind farm',
  shortHeadline: 'Quillmoor cable fails a test',
  summary:
    'Water was found in a joint 14 km from the shore. The owners must lift the cable and replace the section.',
  details: [
    'The wind farm has 96 turbines, of which 90 are ready.',
    'Without the cable, no more than a third of the power can reach the grid.',
    'The ship that laid the cable is booked elsewhere for the next seven weeks.',
  ],
  markets: [
    bearsOn(QUILLMOOR, {
      relevance: 'high',
      summary: 'Full output needs the cable that failed.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 18,
          because: [
            'Seven weeks until the ship is free and about four for the repair leave hardly a week for tests before midsummer.',
          ],
        },
        {
          on: 'year-end',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'low',
          points: 3,
          because: [
            'The repair fits easily into the year. A second fault in the same batch of joints is the remaining risk.',
          ],
        },
      ],
    }),
  ],
};

const cableRepaired: Story = {
  id: 'ne_quillmoor-cable-repaired',
  outlet: OUTLETS.noticeBoard,
  author: null,
  categories: ['energy', 'climate'],
  relevance: 'medium',
  headline: 'Quillmoor cable repaired a month early after a second ship was found',
  shortHeadline: 'Quillmoor cable repaired early',
  summary:
    'The owners chartered a repair ship from Sundrel. The new section passed its pressure test on Friday.',
  details: [
    'All 96 turbines are now ready.',
    'Output will be raised in four steps over three weeks.',
    'The grid operator has to approve each step and says that it sees “no reason for delay”.',
  ],
  markets: [
    bearsOn(QUILLMOOR, {
      relevance: 'high',
      summary: 'The repair removes the cause of the delay.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 34,
          because: [
            'With three weeks of steps ahead, full output falls two weeks before midsummer, if the wind blows on the day.',
          ],
        },
      ],
    }),
  ],
};

export const ENERGY = { coldSpell, terminalFire, cableFault, cableRepaired };
