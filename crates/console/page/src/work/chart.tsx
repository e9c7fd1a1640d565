// The throughput figure over time, drawn by uPlot in the colours of the theme.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Point {
  readonly at: number;
  readonly value: number;
}

export function Chart({ points, target, rollback, label }: { readonly points: readonly Point[]; readonly target: number; readonly rollback: number; readonly label: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || points.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement('span');
    element.append(probe);
    const colour = (name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color || style.color;
    };
    const [ink, line, accent, green, red] = ['--ink-3', '--line', '--accent', '--green', '--red'].map(colour);
    probe.remove();
    const times = points.map((point) => point.at / 1000);
    const flat = (value: number) => points.map(() => value);
    const axis = { stroke: ink ?? '', grid: { stroke: line ?? '', width: 1 }, ticks: { show: false }, font: '11px system-ui' };
    const day = (at: number) => new Date(at * 1000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
    const days = { ...axis, values: (_plot: uPlot, ticks: number[]) => ticks.map(day), incrs: [1, 2, 3, 7, 14].map((count) => count * 86_400) };
    const plot = new uPlot({
      width: element.clientWidth, height: 150, legend: { show: false }, cursor: { show: false }, axes: [days, { ...axis, size: 40 }],
      scales: { y: { range: (_plot, _least, most) => [0, Math.max(most, target) * 1.15 || 1] } },
      series: [{}, { stroke: accent ?? '', width: 2, points: { size: 5 } }, { stroke: green ?? '', width: 1, dash: [4, 4], points: { show: false } }, { stroke: red ?? '', width: 1, dash: [4, 4], points: { show: false } }],
    }, [times, points.map((point) => point.value), flat(target), flat(rollback)], element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 150 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, target, rollback]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}
