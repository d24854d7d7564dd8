import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';
import { GLASSWING } from '../science/technology.js';

const PATENT_CASE = storyMarket({
  slug: 'brightkelp-patent',
  title: 'Orrin Optics v. Brightkelp Foundry: patent case',
  turnover: 27_000,
  subMarkets: {
    brightkelp: ['Will the court reject Orrin’s claim against Brightkelp?', 46],
    settle: ['Will Orrin and Brightkelp settle before the ruling?', 18],
  },
});

const hearing: Story = {
  id: 'ne_patent-hearing',
  outlet: OUTLETS.benchNotes,
  author: 'Hester Wray',
  categories: ['law', 'technology'],
  relevance: 'high',
  headline: 'Judge doubts that Orrin’s hinge was new when it was patented',
  shortHeadline: 'Judge doubts Orrin’s patent',
  summary:
    'At a hearing in the Brightkelp case, the presiding judge read from a catalogue that showed a similar hinge a year earlier.',
  details: [
    'Orrin Optics says that the Glasswing reader copies the hinge of its folding telescope.',
    'A patent is void if the invention was public before the application.',
    'Orrin’s lawyer replied that the hinge in the catalogue had never been sold.',
    'The court gives its ruling within two months.',
  ],
  markets: [
    bearsOn(PATENT_CASE, {
      relevance: 'high',
      summary: 'The judge’s question goes to the point on which the case turns.',
      effects: [
        {
          on: 'brightkelp',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 13,
          because: [
            'If the hinge was public a year earlier, the patent is void and the claim fails.',
            'Judges sometimes test an argument without sharing it, so the question is evidence and not a verdict.',
          ],
        },
        {
          on: 'settle',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 4,
          because: [
            'A claimant who expects to lose has a reason to offer terms, although Orrin has refused to talk so far.',
          ],
        },
      ],
    }),
  ],
};

const expert: Story = {
  id: 'ne_patent-expert',
  outlet: OUTLETS.benchNotes,
  author: 'Hester Wray',
  categories: ['law', 'technology'],
  relevance: 'medium',
  headline: 'Court’s own expert says that the Glasswing hinge works like Orrin’s',
  shortHeadline: 'Expert: the Glasswing hinge works like Orrin’s',
  summary:
    'The expert found “no difference that a user would notice”. She calls the hinge in the old catalogue “a different mechanism”.',
  details: [
    'Courts in patent cases follow their own expert in about four cases of five.',
    'Brightkelp has two weeks to reply to the report.',
    'The company said that the expert had tested an early prototype.',
  ],
  markets: [
    bearsOn(PATENT_CASE, {
      relevance: 'high',
      summary: 'The report answers both open questions in Orrin’s favour.',
      effects: [
        {
          on: 'brightkelp',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 21,
          because: [
            'The expert rejects the catalogue as a defence and finds that the hinge was copied. Courts usually follow her.',
          ],
        },
        {
          on: 'settle',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'Brightkelp now risks a ban on sales just before a launch, which makes a payment to Orrin the cheaper course.',
          ],
        },
      ],
    }),
  ],
};

const settlement: Story = {
  id: 'ne_patent-settlement',
  outlet: OUTLETS.ledger,
  author: 'Şirin Taşyelken',
  categories: ['law', 'companies', 'breaking'],
  relevance: 'high',
  headline: 'Brightkelp pays Orrin 140 million crowns to end the hinge case',
  shortHeadline: 'Brightkelp and Orrin settle',
  summary:
    'The companies told the court that they had settled. Brightkelp gets a licence for all present and future readers.',
  details: [
    'The payment is about 3% of Brightkelp’s cash.',
    'The court closed the case on Tuesday without a ruling.',
    'Analysts had put the cost of a ban on sales at five times the sum.',
  ],
  markets: [
    bearsOn(PATENT_CASE, {
      relevance: 'high',
      summary: 'The settlement ends the case and settles the market.',
      effects: [
        {
          on: 'settle',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 67,
          because: [
            'Before the announcement, traders gave a settlement one chance in three. Both companies have now filed it, and the court has closed the case.',
          ],
        },
        {
          on: 'brightkelp',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 36,
          because: [
            'The price had already fallen with the report of the court’s expert. Now there will be no ruling, so the court cannot reject the claim.',
          ],
        },
      ],
    }),
    bearsOn(GLASSWING, {
      relevance: 'medium',
      summary: 'A ban on sales was the second risk to the launch, after the displays.',
      effects: [
        {
          on: 'autumn-fair',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 7,
          because: ['No court can stop the launch any more. Only the supply of displays can still delay it.'],
        },
      ],
    }),
  ],
};

export const COURTS = { hearing, expert, settlement };
