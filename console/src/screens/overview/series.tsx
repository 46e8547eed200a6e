import { quantilesOf, Series, type SeriesChart, type SeriesValue } from '../../ui/series.tsx';

const chartsOf = ({ counts, times }: SeriesValue): readonly SeriesChart[] => [
  {
    title: 'Deliveries',
    unit: 'count',
    lines: [
      { name: 'received', values: counts.received, colour: 'accent' },
      { name: 'delivered', values: counts.delivered, colour: 'good', isDashed: true },
    ],
  },
  {
    title: 'Problems',
    unit: 'count',
    lines: [
      { name: 'parked', values: counts.parked, colour: 'warn' },
      { name: 'quarantined', values: counts.quarantined, colour: 'bad', isDashed: true },
      { name: 'refused', values: counts.refused, colour: 'quiet' },
    ],
  },
  { title: 'Lag: from the first byte to the chart', unit: 'time', lines: quantilesOf(times.lag) },
  { title: 'EHR latency: one attempt', unit: 'time', lines: quantilesOf(times['ehr-latency']) },
];

/** What came, what waits and how long it took. */
export const FlowSeries = () => <Series chartsOf={chartsOf} />;
