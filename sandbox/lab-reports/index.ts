export { LAYOUTS, type Layout, type ReportContent, type ReportOptions, type TrueResult } from './invent-report.ts';
export { makeLabReport, type LabReport } from './make-lab-report.ts';
export { dotsBetween, printPages } from './print-pages.ts';
export type { Drawn, Font, Page } from './page.ts';
export { makeRandom, type Random } from './random.ts';
