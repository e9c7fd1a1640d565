// Where the issues of a graph stand. What has to be done first is on the left; a layout is a function of the graph alone.
import dagre from '@dagrejs/dagre';
import type { Edge, Issue } from '../api/types';

export interface Placed {
  readonly issue: Issue;
  readonly x: number;
  readonly y: number;
}

export interface Path {
  readonly edge: Edge;
  readonly d: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed[];
  readonly paths: readonly Path[];
}

export const NODE = { width: 268, height: 60 } as const;

function curve(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let d = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  for (let at = 0; at < rest.length - 1; at += 1) {
    const [a, b] = [rest[at], rest[at + 1]];
    if (a && b) d += ` Q${a.x.toFixed(1)} ${a.y.toFixed(1)} ${((a.x + b.x) / 2).toFixed(1)} ${((a.y + b.y) / 2).toFixed(1)}`;
  }
  const last = rest.at(-1);
  return last ? `${d} L${last.x.toFixed(1)} ${last.y.toFixed(1)}` : d;
}

export function layoutOf(issues: readonly Issue[], edges: readonly Edge[]): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 42, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(issues.map((issue) => issue.id));
  for (const issue of issues) graph.setNode(issue.id, { width: NODE.width, height: NODE.height });
  const drawn = edges.filter((edge) => known.has(edge.from) && known.has(edge.to) && edge.from !== edge.to);
  drawn.forEach((edge, at) => graph.setEdge(edge.to, edge.from, {}, String(at)));
  dagre.layout(graph);
  const nodes = issues.map((issue): Placed => {
    const { x, y } = graph.node(issue.id) as { x: number; y: number };
    return { issue, x: x - NODE.width / 2, y: y - NODE.height / 2 };
  });
  const paths = drawn.map((edge, at): Path => {
    const label = graph.edge({ v: edge.to, w: edge.from, name: String(at) }) as { points?: { x: number; y: number }[] };
    return { edge, d: curve(label.points ?? []) };
  });
  const size = graph.graph() as { width?: number; height?: number };
  return { width: Math.max(size.width ?? 0, 200), height: Math.max(size.height ?? 0, 100), nodes, paths };
}
