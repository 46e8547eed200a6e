import { useRef, useState } from 'react';
import { ask, type Refusal, type ValueOf } from '../api/ask.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Progress } from '../ui/progress.tsx';
import { useMay } from '../api/session.tsx';
import { queryOf, type Given } from './deliveries-filters.tsx';

type Row = ValueOf<'deliveries.list'>['deliveries'][number];

const PAGE = 500;
/** More than this is for the command line, which writes a file as it reads. */
const EXPORT_MOST = 10_000;

/** What begins so is a formula to a spreadsheet, which would carry it out. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);
const cellOf = (value: string | number | null | undefined): string => {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const COLUMNS: Readonly<Record<string, (row: Row) => string | number | null | undefined>> = {
  id: ({ id }) => id,
  received_at: ({ receivedAt }) => receivedAt,
  state: ({ state }) => state,
  reason: ({ reason }) => reason,
  fault: ({ faultCode }) => faultCode,
  state_at: ({ stateAt }) => stateAt,
  data_structure: ({ dataStructure }) => dataStructure,
  document_version: ({ documentVersion }) => documentVersion,
  bytes: ({ bodyBytes }) => bodyBytes,
  findings: ({ findings }) => findings.join(' '),
};
const NAMING: typeof COLUMNS = { user_id: ({ userId }) => userId, mrn: ({ mrn }) => mrn };

/** RFC 4180; a text that a spreadsheet would carry out gets an apostrophe before it. */
function csvOf(rows: readonly Row[], isNamed: boolean): string {
  const columns = Object.entries(isNamed ? { ...COLUMNS, ...NAMING } : COLUMNS);
  const lines = [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, of]) => cellOf(of(row))))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

type Step =
  | { readonly kind: 'idle' }
  | { readonly kind: 'reading'; readonly done: number }
  | { readonly kind: 'saved'; readonly rows: number; readonly isCut: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Everything that was found, page by page, as a file; it is read no further when the dialog is closed. */
export function ExportDeliveries({
  given,
  total,
  onClose,
}: {
  readonly given: Given;
  /** How many there are, as far as they were counted. */
  readonly total: number | undefined;
  readonly onClose: () => void;
}) {
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const [isNamed, setNamed] = useState(false);
  const maySeePatients = useMay('patients.read');
  const isOver = useRef(false);
  const close = (): void => {
    isOver.current = true;
    onClose();
  };
  const run = async (): Promise<void> => {
    const rows: Row[] = [];
    let cursor: string | undefined;
    do {
      setStep({ kind: 'reading', done: rows.length });
      const reply = await ask('deliveries.list', { query: { ...queryOf(given), cursor, limit: PAGE } });
      if (isOver.current) return;
      if (reply.kind === 'refused') {
        setStep({ kind: 'refused', refusal: reply.refusal });
        return;
      }
      rows.push(...reply.value.deliveries);
      cursor = reply.value.next ?? undefined;
    } while (cursor !== undefined && rows.length < EXPORT_MOST);
    const kept = rows.slice(0, EXPORT_MOST);
    save(csvOf(kept, isNamed), 'deliveries.csv');
    setStep({ kind: 'saved', rows: kept.length, isCut: cursor !== undefined || rows.length > kept.length });
  };
  return (
    <Dialog title="Save what was found as CSV" onClose={close}>
      <p>
        At most {EXPORT_MOST.toLocaleString()} deliveries, newest first. Each page that is read is kept in the audit.
      </p>
      {maySeePatients ? (
        <p>
          <label className="check">
            <input
              type="checkbox"
              checked={isNamed}
              disabled={step.kind === 'reading'}
              onChange={({ target }) => setNamed(target.checked)}
            />
            With MRN and user: keep the file as you keep a chart
          </label>
        </p>
      ) : null}
      {step.kind === 'reading' ? (
        <Progress
          label={`${step.done.toLocaleString()} read …`}
          done={step.done}
          of={Math.min(total ?? EXPORT_MOST, EXPORT_MOST)}
        />
      ) : null}
      <p role="status" className={step.kind === 'refused' ? 'bad' : 'good'}>
        {step.kind === 'refused'
          ? step.refusal.message
          : step.kind === 'saved'
            ? `Saved ${step.rows.toLocaleString()} deliveries as deliveries.csv.${step.isCut ? ' There are more: narrow the time, or use the command.' : ''}`
            : ''}
      </p>
      <div className="row">
        <button type="button" disabled={step.kind === 'reading'} onClick={() => void run()} autoFocus>
          Save
        </button>
        <button type="button" className="plain" onClick={close}>
          {step.kind === 'reading' ? 'Stop' : 'Close'}
        </button>
      </div>
    </Dialog>
  );
}
