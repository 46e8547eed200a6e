import { quantilesOf, Series, type SeriesChart, type SeriesValue } from '../../ui/series.tsx';

const chartsOf = ({ counts, times }: SeriesValue): readonly SeriesChart[] => [
  { title: 'Latency: one attempt', unit: 'time', lines: quantilesOf(times['ehr-latency']) },
  {
    title: 'Attempts',
    unit: 'count',
    lines: [
      { name: 'delivered', values: counts.delivered, colour: 'good' },
      { name: 'failed attempts', values: counts['failed-attempts'], colour: 'bad', isDashed: true },
    ],
  },
];

/** How long the EHR takes, and how often it fails. */
export const EhrSeries = () => <Series chartsOf={chartsOf} />;
