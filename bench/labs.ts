import { makeLabReport, printPages } from '../sandbox/lab-reports/index.ts';
import { makeLabReader } from '../sandbox/labs/index.ts';
import { scanReport } from '../sandbox/test/lab-scans/scan.ts';
import { NO_SCORE, precisionOf, recallOf, scoreOf, sumOf, type Score } from '../sandbox/test/lab-scans/score.ts';
import { median, round, type Figure } from './figure.ts';

export const name = 'labs';

const SEED = 10;
const TIMEZONE = '-05:00';
const TEXTS = 140;
const SCANS = 60;
const GOALS = { text: 0.98, scan: 0.9 } as const;
/** What a person would wait for, on a machine with nothing else to do. */
const LIMITS_MS = { text: 1_000, scan: 15_000 } as const;

/** Two hundred invented reports in five layouts, read as the service reads them. Here `theirs` is the goal. */
export async function* run(): AsyncGenerator<Figure> {
  const reader = makeLabReader();
  const read = async (kind: 'text' | 'scan', count: number): Promise<{ score: Score; ms: number }> => {
    let score = NO_SCORE;
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const report = makeLabReport({ seed: SEED, n: kind === 'text' ? n : 1_000 + n });
      const file =
        kind === 'text'
          ? { bytes: await printPages(report.pages), kind: 'pdf' as const }
          : await scanReport(report, SEED, n);
      const from = performance.now();
      const reading = await reader.readLabDocument({
        ...file,
        timezone: TIMEZONE,
        userId: 'user',
        clientUuid: 'client',
        documentId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
        format: 'fhir',
      });
      times.push(performance.now() - from);
      score = sumOf(score, scoreOf(report, reading, TIMEZONE));
    }
    return { score, ms: median(times) };
  };
  const figure = (title: string, ours: number, theirs: number, unit: string, note: string): Figure => ({
    bench: name,
    figure: title,
    ratio: round(ours / theirs),
    ours: Number(ours.toPrecision(4)),
    theirs,
    unit,
    note,
  });
  try {
    for (const [kind, count] of [
      ['text', TEXTS],
      ['scan', SCANS],
    ] as const) /* prettier-ignore */ {
      const { score, ms } = await read(kind, count);
      const what = `${score.documents} reports, ${score.right} right, ${score.wrong} wrong, ${score.missed} missed`;
      yield figure(`${kind}-precision`, precisionOf(score), GOALS[kind], 'of results', `biomarker, value and unit; ${what}`);
      yield figure(`${kind}-recall`, recallOf(score), GOALS[kind], 'of results', `biomarker, value and unit; ${what}`);
      yield figure(`${kind}-dated`, score.dated / score.documents, GOALS[kind], 'of reports', 'collection date, time and zone right');
      yield { ...figure(`${kind}-time`, ms, LIMITS_MS[kind], 'ms per report', 'median; theirs is the limit'), ratio: round(LIMITS_MS[kind] / ms) };
    }
  } finally {
    await reader.end();
  }
}
