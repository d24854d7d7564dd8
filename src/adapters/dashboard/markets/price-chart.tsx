import { useContext } from 'preact/hooks';
import type { PricePoint } from '../../../domain/feed/markets/price-line.js';
import type { Moment } from '../../../domain/moment.js';
import { cardId } from '../feed/feed-card.js';
import { RenderedAt } from '../page/moment.js';
import { fullMomentText, momentText, shortMomentText } from '../page/moment-text.js';
import { cents } from './price-text.js';

/** As wide as the page of a desktop, so that its texts are as large as others. */
const WIDTH = 1_080;
const HEIGHT = 160;
/** Room for the marks at the edges, and for the prices at the left and the times below. */
const EDGE = 14;
const LEFT = 60;
const BASE = 126;

type ChartProps = {
  readonly points: readonly PricePoint[];
  /** Whether the card of each item is on the page: its dot then leads to it. */
  readonly hasCards?: boolean;
};

/** The price at each item as a line of steps. It is no history of ticks: between two items the price is not known. */
export const PriceChart = ({ points, hasCards = true }: ChartProps) => {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return null;
  const marks = marksOf(points);
  const path = marks.map(({ x, y }, i) => (i === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  const label = `Yes ask at ${points.length} items: from ${cents(first.yesAsk)} to ${cents(last.yesAsk)}`;
  return (
    <figure class="price-line">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role={hasCards ? undefined : 'img'} aria-label={label}>
        {hasCards && <Axes points={points} />}
        <path d={path} />
        {marks.map(({ x, y, point }, i) =>
          hasCards ? (
            <a key={point.at} href={`#${cardId(i + 1)}`} aria-label={`Item ${i + 1}: ${cents(point.yesAsk)}`}>
              <circle cx={x} cy={y} r="8">
                <title>{`${i + 1}: ${cents(point.yesAsk)}, ${momentText(point.at)}`}</title>
              </circle>
              <text x={x} y={y + 3.5}>
                {i + 1}
              </text>
            </a>
          ) : (
            <circle key={point.at} cx={x} cy={y} r="4">
              <title>{`${cents(point.yesAsk)}, ${momentText(point.at)}`}</title>
            </circle>
          ),
        )}
      </svg>
      <figcaption class="quiet">
        Yes ask at each item{hasCards && ' below'}, {cents(lowest(points))} to {cents(highest(points))}. Price
        at each news item, not a history of ticks.
      </figcaption>
    </figure>
  );
};

const lowest = (points: readonly PricePoint[]) => Math.min(...points.map(({ yesAsk }) => yesAsk));
const highest = (points: readonly PricePoint[]) => Math.max(...points.map(({ yesAsk }) => yesAsk));

/** Evenly, by their order: what happened in between is not known, and items may come within seconds. */
function marksOf(points: readonly PricePoint[]) {
  const [low, high] = [lowest(points), highest(points)];
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const step = (WIDTH - LEFT - EDGE) / (points.length - 1);
  return points.map((point, i) => ({
    point,
    x: rounded(LEFT + i * step),
    y: rounded(BASE - (high === low ? 0.5 : (point.yesAsk - low) / (high - low)) * (BASE - EDGE)),
  }));
}

/** The lowest and the highest price, and the times of the first and the last item. */
const Axes = ({ points }: { readonly points: readonly PricePoint[] }) => {
  const [first, last] = [points.at(0), points.at(-1)];
  return (
    <g class="axes">
      <text x={LEFT - EDGE} y={EDGE + 4} class="end">
        {cents(highest(points))}
      </text>
      <text x={LEFT - EDGE} y={BASE + 4} class="end">
        {cents(lowest(points))}
      </text>
      <text x={LEFT - EDGE / 2} y={HEIGHT - 2}>
        {first !== undefined && <TimeOfPoint at={first.at} />}
      </text>
      <text x={WIDTH - EDGE / 2} y={HEIGHT - 2} class="end">
        {last !== undefined && <TimeOfPoint at={last.at} />}
      </text>
    </g>
  );
};

/** A drawing has no `time` element. */
const TimeOfPoint = ({ at }: { readonly at: Moment }) => (
  <>
    <title>{fullMomentText(at)}</title>
    {shortMomentText(at, useContext(RenderedAt))}
  </>
);
