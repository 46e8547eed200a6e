import type { Layout, PrintedBlock, PrintedRow, ReportContent } from './invent-report.ts';
import { makePen, type Page, type Pen } from './page.ts';

type LayOut = (report: ReportContent, pen: Pen) => void;

/** Said at the foot of reports; it names tests and numbers, and is no result. */
const FOOT = [
  'Glucose of 126 mg/dL or higher on two occasions suggests diabetes; please consult your physician.',
  'Reference ranges apply to adults. H = above range, L = below range, A = abnormal.',
] as const;

function foot(pen: Pen): void {
  pen.need(40);
  pen.y += 16;
  for (const line of FOOT) {
    pen.text(48, line, { size: 8 });
    pen.y += 11;
  }
}

/** Labels and times on lines of their own, two beside each other. */
function header({ laboratory, address, patient, times, specimen }: ReportContent, pen: Pen): void {
  pen.text(48, laboratory, { weight: 'bold', size: 15 });
  pen.y += 14;
  pen.text(48, address, { size: 9 });
  pen.y += 22;
  const pairs = [
    [`Patient: ${patient}`, `${times.collectedLabel}: ${times.collected}`],
    [`Date of Birth: ${times.birthDate}`, `${times.receivedLabel}: ${times.received}`],
    ['Patient ID: 0001001', `${times.reportedLabel}: ${times.reported}`],
    specimen === '' ? [] : [`Specimen: ${specimen}`],
  ];
  for (const [left = '', right = ''] of pairs) {
    pen.text(48, left);
    pen.text(318, right);
    pen.y += 14;
  }
  pen.y += 8;
}

/** Labels in one row, what they say below them. */
function gridHeader({ laboratory, address, patient, times }: ReportContent, pen: Pen): void {
  pen.text(48, laboratory, { weight: 'bold', size: 15 });
  pen.text(564, address, { size: 9, align: 'right' });
  pen.y += 24;
  const cells = [
    ['Date of Birth', times.birthDate],
    [times.collectedLabel, times.collected],
    [times.receivedLabel, times.received],
    [times.reportedLabel, times.reported],
  ] as const;
  pen.text(48, `Patient: ${patient}`);
  pen.y += 16;
  const at = [48, 150, 310, 444];
  cells.forEach(([label, said], i) => {
    pen.text(at[i] ?? 0, label, { size: 8, weight: 'bold' });
    pen.text(at[i] ?? 0, said, { size: 9, y: pen.y + 12 });
  });
  pen.y += 34;
}

const inColumns: LayOut = (report, pen) => {
  header(report, pen);
  const at = report.font === 'mono' ? [48, 240, 318, 370, 480] : [48, 230, 310, 372, 470];
  const put = (cells: readonly string[], weight?: 'bold'): void =>
    cells.forEach((cell, i) => pen.text(at[i] ?? 0, cell, weight === undefined ? {} : { weight }));
  pen.line(48, pen.y - 12, 564, pen.y - 12);
  put(['Test', 'Result', 'Flag', 'Units', 'Reference Range'], 'bold');
  pen.line(48, pen.y + 5, 564, pen.y + 5);
  pen.y += 20;
  for (const { heading, rows } of report.blocks) {
    pen.need(40);
    pen.text(48, heading, { weight: 'bold' });
    pen.y += 15;
    for (const { name, value, flag, unit, range } of rows) {
      pen.need(15);
      put([name, value, flag, unit, range]);
      pen.y += 14;
    }
    pen.y += 6;
  }
  foot(pen);
};

const twoColumn: LayOut = (report, pen) => {
  header(report, pen);
  const top = pen.y;
  const half = (blocks: readonly PrintedBlock[], x: number): number => {
    pen.y = top;
    for (const { heading, rows } of blocks) {
      pen.text(x, heading.toUpperCase(), { weight: 'bold', size: 9 });
      pen.y += 13;
      for (const { name, value, flag, unit, range } of rows) {
        pen.text(x, name, { size: 8 });
        pen.text(x + 152, `${value}${flag === '' ? '' : ` ${flag}`}`, { size: 8, align: 'right' });
        pen.text(x + 157, unit, { size: 8 });
        pen.text(x + 212, range, { size: 8 });
        pen.y += 12;
      }
      pen.y += 8;
    }
    return pen.y;
  };
  const middle = Math.ceil(report.blocks.length / 2);
  const left = half(report.blocks.slice(0, middle), 40);
  const right = half(report.blocks.slice(middle), 318);
  pen.y = Math.max(left, right);
  foot(pen);
};

const bordered: LayOut = (report, pen) => {
  gridHeader(report, pen);
  const edges = [48, 200, 262, 322, 400, 500, 564];
  const top = (): void => pen.line(48, pen.y - 11, 564, pen.y - 11);
  const sides = (): void => edges.forEach((x) => pen.line(x, pen.y - 11, x, pen.y + 5));
  const put = (cells: readonly string[], weight?: 'bold'): void => {
    pen.need(20);
    if (weight !== undefined) pen.box(48, pen.y - 11, 516, 16, 225);
    top();
    sides();
    cells.forEach((cell, i) =>
      pen.text((edges[i] ?? 0) + 4, cell, { size: 9, ...(weight === undefined ? {} : { weight }) }),
    );
    pen.line(48, pen.y + 5, 564, pen.y + 5);
    pen.y += 16;
  };
  for (const { heading, rows } of report.blocks) {
    pen.need(60);
    pen.text(48, heading, { weight: 'bold', size: 11 });
    pen.y += 18;
    put(['Test Name', 'Result', 'Previous', 'Units', 'Reference', 'Flag'], 'bold');
    for (const { name, value, previous, unit, range, flag } of rows) put([name, value, previous, unit, range, flag]);
    pen.y += 10;
  }
  foot(pen);
};

const FLAG_WORDS = { H: 'HIGH', L: 'LOW', A: 'ABNORMAL', '': '' } as const;

const asLetter: LayOut = (report, pen) => {
  const { laboratory, address, patient, times, blocks } = report;
  pen.text(48, laboratory, { weight: 'bold', size: 14 });
  pen.y += 14;
  pen.text(48, address, { size: 9 });
  pen.y += 26;
  pen.text(48, `${times.reportedLabel}: ${times.reported}`);
  pen.y += 24;
  pen.text(48, `Dear Dr. Sample,`);
  pen.y += 16;
  pen.text(48, `Re: ${patient}, born ${times.birthDate}`);
  pen.y += 14;
  pen.text(48, `${times.collectedLabel}: ${times.collected}`);
  pen.y += 22;
  pen.text(48, 'Thank you for referring this patient. The results are as follows.');
  pen.y += 20;
  for (const { heading, rows } of blocks) {
    pen.need(50);
    pen.text(48, heading, { weight: 'bold' });
    pen.y += 16;
    for (const { name, value, unit, range, flag } of rows) {
      pen.need(16);
      pen.text(60, name, { leaderTo: 262 });
      const note = flag === '' ? '' : ` ${FLAG_WORDS[flag]}`;
      pen.text(270, `${value}${unit === '' ? '' : ` ${unit}`} (${range})${note}`);
      pen.y += 15;
    }
    pen.y += 8;
  }
  foot(pen);
  pen.text(48, 'Yours sincerely');
};

const inBlocks: LayOut = (report, pen) => {
  gridHeader(report, pen);
  const row = ({ name, value, unit, range, flag }: PrintedRow): void => {
    pen.need(16);
    pen.text(60, name);
    pen.text(300, `${flag === '' ? '' : '*'}${value}`, { align: 'right', weight: 'bold' });
    pen.text(308, unit);
    pen.text(420, range === '' ? '' : `Ref: ${range}`, { size: 9 });
    pen.y += 15;
  };
  for (const { heading, rows } of report.blocks) {
    pen.need(50);
    pen.box(48, pen.y - 11, 516, 16, 215);
    pen.text(54, heading, { weight: 'bold' });
    pen.y += 20;
    for (const one of rows) row(one);
    pen.y += 10;
  }
  foot(pen);
};

const LAY_OUT: Readonly<Record<Layout, LayOut>> = {
  columns: inColumns,
  'two-column': twoColumn,
  bordered,
  letter: asLetter,
  blocks: inBlocks,
};

/** The pages of a report, as its laboratory lays them out. */
export function layOut(report: ReportContent): readonly Page[] {
  const pen = makePen(report.font, report.font === 'mono' ? 9 : 10);
  LAY_OUT[report.layout](report, pen);
  return pen.pages();
}
