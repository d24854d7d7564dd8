import { CENTRAL_BANK } from '../stories/economy/central-bank.js';
import { CRYPTO } from '../stories/economy/crypto.js';
import { ENERGY } from '../stories/economy/energy.js';
import { INFLATION } from '../stories/economy/inflation.js';
import { SHIPPING } from '../stories/economy/shipping.js';
import { TRADE } from '../stories/economy/trade.js';
import { OTHER_LANGUAGES } from '../stories/other-languages.js';
import { COALITION } from '../stories/politics/coalition.js';
import { ELECTIONS } from '../stories/politics/elections.js';
import { GEOPOLITICS } from '../stories/politics/geopolitics.js';
import { CLIMATE } from '../stories/science/climate.js';
import { SPACE } from '../stories/science/space.js';
import { TECHNOLOGY } from '../stories/science/technology.js';
import { COURTS } from '../stories/society/courts.js';
import { CULTURE } from '../stories/society/culture.js';
import { HEALTH } from '../stories/society/health.js';
import { SPORT } from '../stories/society/sport.js';
import type { Story } from '../story.js';

export type StoryStep =
  | { readonly kind: 'publish'; readonly story: Story }
  | { readonly kind: 'retract'; readonly story: Story };

const publish = (story: Story): StoryStep => ({ kind: 'publish', story });
const retract = (story: Story): StoryStep => ({ kind: 'retract', story });

/** The stories that a demo has when it starts, oldest first. The last one is the newest. */
const BACKLOG: readonly StoryStep[] = [
  SPORT.injury,
  CENTRAL_BANK.minutes,
  GEOPOLITICS.talks,
  HEALTH.trial,
  TRADE.dumping,
  ENERGY.coldSpell,
  CULTURE.nominations,
  ELECTIONS.poll,
  COURTS.hearing,
  CLIMATE.warmSea,
  INFLATION.fuelDuty,
  TECHNOLOGY.displays,
  SPACE.thruster,
  COALITION.ultimatum,
  CRYPTO.consultation,
  SHIPPING.ballot,
  CENTRAL_BANK.wages,
  ENERGY.cableFault,
  HEALTH.measles,
  CLIMATE.reservoirs,
  ELECTIONS.resignation,
  TECHNOLOGY.subsidy,
  SPORT.shortCourse,
  GEOPOLITICS.agreement,
].map(publish);

/** What a demo publishes and retracts after its start, in this order. */
const LIVE: readonly StoryStep[] = [
  publish(INFLATION.inflation),
  publish(SHIPPING.insurers),
  publish(INFLATION.inflationCorrected),
  publish(GEOPOLITICS.boarding),
  publish(SPORT.ban),
  retract(GEOPOLITICS.boarding),
  publish(GEOPOLITICS.denial),
  publish(CENTRAL_BANK.governor),
  publish(HEALTH.questions),
  publish(CRYPTO.withdrawals),
  publish(ELECTIONS.turnout),
  publish(CRYPTO.withdrawalsCorrected),
  publish(TECHNOLOGY.secondSupplier),
  publish(CULTURE.critics),
  publish(TRADE.minimumPrice),
  publish(COALITION.ferryObjection),
  publish(SPORT.final),
  publish(COALITION.ferryObjectionCorrected),
  publish(COURTS.expert),
  publish(SPACE.correction),
  publish(CLIMATE.rain),
  publish(ENERGY.terminalFire),
  publish(COALITION.housingDeal),
  publish(CENTRAL_BANK.decision),
  publish(SHIPPING.mediation),
  publish(CULTURE.carnival),
  publish(ELECTIONS.result),
  publish(TECHNOLOGY.aiBill),
  publish(CLIMATE.seasonForecast),
  publish(TRADE.timber),
  publish(CRYPTO.upgrade),
  publish(ENERGY.cableRepaired),
  publish(SPACE.staticFire),
  publish(COURTS.settlement),
  publish(SPORT.marathon),
  publish(HEALTH.panel),
  publish(TRADE.tariff),
  publish(CULTURE.winner),
  publish(SHIPPING.convoy),
];

/** The steps of a demo before and after its start. */
export const storyOrder = (otherLanguages: boolean) => ({
  backlog: otherLanguages ? withOtherLanguages(BACKLOG) : BACKLOG,
  live: otherLanguages ? withOtherLanguages(LIVE) : LIVE,
});

const withOtherLanguages = (steps: readonly StoryStep[]): readonly StoryStep[] =>
  steps.flatMap((step) => [
    step,
    ...OTHER_LANGUAGES.filter(({ after }) => after === step.story.id).map(({ story }) => publish(story)),
  ]);
