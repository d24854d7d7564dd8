import type uPlot from 'uplot';

/** The chart library loads before this module and defines one global. */
const { uPlot: Chart } = window as unknown as { readonly uPlot: typeof uPlot };

const SERIES = ['2xx', '3xx', '4xx', '5xx'] as const;
const HEIGHT = 240;

/** A color of the page in its current color scheme. */
const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const numbersOf = (table: HTMLTableElement): readonly (readonly number[])[] =>
  [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const start = row.querySelector('time')?.dateTime.slice(0, 19) ?? '';
    return [
      Date.parse(`${start}Z`) / 1_000,
      ...[...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)),
    ];
  });

/** Stacked values, so that the top line is the sum; in drawing order, the last class first. */
function stacked(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const times = rows.map(([time = 0]) => time);
  const tops = SERIES.map((_, i) => rows.map((row) => row.slice(1, i + 2).reduce((sum, n) => sum + n, 0)));
  return [times, ...tops.toReversed()];
}

/** `14:00`, or `11-21` if a bar is a day. */
function timeText(seconds: number, width: number): string {
  const text = new Date(seconds * 1_000).toISOString();
  return width < 86_400 ? text.slice(11, 16) : text.slice(5, 10);
}

function draw(container: HTMLElement, table: HTMLTableElement): void {
  const bars = Chart.paths.bars?.({ size: [0.7, 48] });
  const axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line') },
    ticks: { stroke: color('--line') },
  };
  const data = stacked(numbersOf(table));
  const [first = 0, second = 0] = data[0] ?? [];
  const width = second - first;
  container.hidden = false;
  const chart = new Chart(
    {
      width: container.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => Chart.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      cursor: { show: false },
      legend: { show: false },
      scales: {
        // Half a bar more at either end: bars are centered on their start.
        x: { range: (_, first, last) => [first - width / 2, last + width / 2] },
        y: { range: (_, __, most) => [0, Math.max(5, most * 1.1)] },
      },
      axes: [{ ...axis, values: (_, seconds) => seconds.map((at) => timeText(at, width)) }, axis],
      series: [
        {},
        ...SERIES.toReversed().map((name) => ({
          label: name,
          fill: color(`--status-${name}`),
          width: 0,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        })),
      ],
    },
    data as unknown as uPlot.AlignedData,
    container,
  );
  new ResizeObserver(() => chart.setSize({ width: container.clientWidth, height: HEIGHT })).observe(
    container,
  );
}

function drawAll(): void {
  for (const container of document.querySelectorAll<HTMLElement>('[data-chart]')) {
    const table = document.getElementById(container.dataset['chart'] ?? '');
    if (!(table instanceof HTMLTableElement)) continue;
    container.replaceChildren();
    draw(container, table);
    // The chart replaces the table, which can still be opened.
    table.closest('details')?.removeAttribute('open');
  }
}

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
