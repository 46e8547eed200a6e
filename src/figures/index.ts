export { collectFigures, type Figures } from './collect-figures.ts';
export {
  COUNTED,
  figureSet,
  TIMED,
  type Counted,
  type FigureReads,
  type FigureWrites,
  type Timed,
} from './commands.ts';
export { readSeries, SPANS, type SeriesOverTime, type Span } from './read-series.ts';
