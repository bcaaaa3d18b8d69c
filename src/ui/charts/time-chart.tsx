import { useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent, ReactElement, RefObject } from 'react';
import { roundTicks } from './round-ticks.ts';

export interface ChartPoint {
  /** Milliseconds since the epoch; ascending. */
  readonly at: number;
  readonly value: number;
}

interface TimeChartProps {
  readonly kind: 'line' | 'bars';
  /** Accessible name: a sentence with the newest value. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  /** Smallest end of the axis. By default it ends at the greatest value. */
  readonly atLeast?: number;
  /** Unit in which the numbers of the axis are round. */
  readonly unit?: number;
  readonly formatValue: (value: number) => string;
  readonly formatDay: (at: number) => string;
}

const NARROWEST = 200;
const HEIGHT = 210;
const LEFT = 64;
const RIGHT = 12;
const WIDEST_BAR = 22;
const TOP = 10;
const BOTTOM = 28;

/** A chart of values over days. Arrow keys and the pointer select a value, which is shown below. */
export function TimeChart(props: TimeChartProps): ReactElement {
  const { kind, label, points, formatValue, formatDay, unit = 1, atLeast = 0 } = props;
  const [active, setActive] = useState<number>();
  const [box, width] = useWidth();
  const ticks = roundTicks(Math.max(atLeast, ...points.map(({ value }) => value)), 4, unit);
  const top = ticks.at(-1) ?? 1;
  const first = points[0]?.at ?? 0;
  const span = (points.at(-1)?.at ?? 0) - first || 1;
  const room = width - LEFT - RIGHT;
  const bar = kind === 'bars' ? Math.min(WIDEST_BAR, (room / Math.max(points.length, 8)) * 0.7) : 0;
  const x = (at: number): number => LEFT + bar / 2 + (points.length === 1 ? 0.5 : (at - first) / span) * (room - bar);
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const shown = points[active ?? points.length - 1];

  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const drawn = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - drawn.left) / drawn.width) * width;
    let nearest = 0;
    let smallest = Number.POSITIVE_INFINITY;
    for (const [index, candidate] of points.entries()) {
      const distance = Math.abs(x(candidate.at) - at);
      if (distance >= smallest) continue;
      nearest = index;
      smallest = distance;
    }
    setActive(nearest);
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(points.length - 1, (active ?? points.length - 1) + step)));
  };

  return (
    <div className="ui-chart" ref={box}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="slider"
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={active ?? Math.max(0, points.length - 1)}
        aria-valuetext={shown && `${formatDay(shown.at)}: ${formatValue(shown.value)}`}
        aria-readonly="true"
        tabIndex={0}
        onKeyDown={move}
        onPointerMove={point}
        onPointerLeave={() => setActive(undefined)}
        onBlur={() => setActive(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="ui-chart-grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
              {formatValue(tick)}
            </text>
          </g>
        ))}
        {kind === 'line' ? (
          <Line points={points.map(({ at, value }) => [x(at), y(value)])} floor={y(0)} />
        ) : (
          <Bars points={points.map(({ at, value }) => [x(at), y(value)])} floor={y(0)} active={active} width={bar} />
        )}
        {kind === 'line' && shown && <circle className="ui-chart-dot" cx={x(shown.at)} cy={y(shown.value)} r="4" />}
        {points.length > 1 && (
          <>
            <text x={LEFT} y={HEIGHT - 6}>
              {formatDay(first)}
            </text>
            <text x={width - RIGHT} y={HEIGHT - 6} textAnchor="end">
              {formatDay(first + span)}
            </text>
          </>
        )}
      </svg>
      <p className="ui-chart-readout" aria-hidden="true">
        {shown && `${formatDay(shown.at)}: ${formatValue(shown.value)}`}
      </p>
    </div>
  );
}

/** Returns a box and its width in pixels. The drawing uses pixels as units, so that its text keeps its size. */
function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    setWidth(Math.max(NARROWEST, element.clientWidth));
    const observer = new ResizeObserver(() => setWidth(Math.max(NARROWEST, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

type Spot = readonly [x: number, y: number];

function Line({ points, floor }: { readonly points: readonly Spot[]; readonly floor: number }): ReactElement {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
  const [left] = points[0] ?? [0];
  const [right] = points.at(-1) ?? [0];
  return (
    <>
      <path className="ui-chart-area" d={`${path}L${right} ${floor}L${left} ${floor}Z`} />
      <path className="ui-chart-line" d={path} />
    </>
  );
}

interface BarsProps {
  readonly points: readonly Spot[];
  readonly floor: number;
  readonly active: number | undefined;
  readonly width: number;
}

function Bars({ points, floor, active, width }: BarsProps): ReactElement {
  return (
    <>
      {points.map(([x, y], index) => (
        <rect
          key={x}
          className="ui-chart-bar"
          data-active={index === active ? true : undefined}
          x={x - width / 2}
          y={y}
          width={width}
          height={Math.max(0, floor - y)}
          rx="2"
        />
      ))}
    </>
  );
}
