import { answerInThread } from '../../../src/kernel/index.ts';
import { makeLabReport, type ReportOptions } from '../../lab-reports/index.ts';
import { scanReport, type Scan } from './scan.ts';

/** A scan of an invented report. */
export interface ScanQuestion {
  readonly report: ReportOptions;
  readonly seed: number;
  readonly n: number;
}

answerInThread<ScanQuestion, Scan>(({ report, seed, n }) => scanReport(makeLabReport(report), seed, n));
