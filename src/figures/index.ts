export { collectFigures, type Figures } from './collect-figures.ts';
export {
  COUNTED,
  figureSet,
  REFUSALS,
  TIMED,
  type Counted,
  type FigureReads,
  type FigureWrites,
  type Timed,
} from './commands.ts';
export {
  readRefusals,
  readSeries,
  SPANS,
  type RefusalsOverTime,
  type SeriesOverTime,
  type Span,
} from './read-series.ts';
