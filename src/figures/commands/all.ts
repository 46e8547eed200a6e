import {
  all,
  among,
  countersOf,
  insert,
  run,
  type CommandContext,
  type Program,
  type Programs,
} from '../../store/index.ts';
import { HOUR_MS, KEPT, type FigureReads, type FigureWrites, type Series } from '../commands.ts';

const FIGURES = countersOf('figure', {
  tenant: 'text',
  width_ms: 'bigint',
  at: 'bigint',
  series: 'text',
  bucket: 'int',
});

type Add = FigureWrites['figures.add'];

function* add(_: CommandContext, { tenant, at, additions }: Add['args']): Program<null> {
  const nowMs = at.getTime();
  // Every writer goes through the rows in one order, so that two cannot wait for each other in a circle.
  const ordered = [...additions].sort((a, b) => a.series.localeCompare(b.series) || a.bucket - b.bucket);
  for (const { width, keptMs } of KEPT) {
    const began = Math.floor(nowMs / width) * width;
    yield* insert(
      FIGURES,
      ordered.map((addition) => ({ tenant, width_ms: width, at: began, ...addition })),
    );
    // What a clock that was ahead counted lies in the future, and would be kept for too long.
    yield* run`
      DELETE FROM figure WHERE tenant = ${tenant} AND width_ms = ${width}
      AND (at < ${began - keptMs} OR at > ${began + HOUR_MS})`;
  }
  return null;
}

type Points = FigureReads['figures.points'];

function* points(_: CommandContext, { tenant, series, width, from, to }: Points['args']): Program<Points['out']> {
  const rows = yield* all`
    SELECT at, series, bucket, count FROM figure
    WHERE tenant = ${tenant} AND width_ms = ${width} AND at >= ${from} AND at < ${to}
    AND series ${among('text', series)}
    ORDER BY at, series, bucket`;
  return rows.map((row) => ({
    at: Number(row['at']),
    series: String(row['series']) as Series,
    bucket: Number(row['bucket']),
    count: Number(row['count']),
  }));
}

export const writes: Programs<FigureWrites> = { 'figures.add': add };
export const reads: Programs<FigureReads> = { 'figures.points': points };
