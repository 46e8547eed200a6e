import type { AuditDraft } from '../audit/index.ts';
import type { Clock, Fault, Result } from '../kernel/index.ts';
import type { Caller, ChartAsk, FindPatients, ReadChart } from '../smart/index.ts';
import type { ClaimedExport, LeaseOutcome, Segment, WaitingPatient } from './commands.ts';
import { errorLine } from './error-lines.ts';
import { makeSegmentWriter, toSegment } from './segment-writer.ts';

/** What came of reading one patient. `lost`: the run is over. */
export type PatientRead =
  | { readonly kind: 'lost' }
  | { readonly kind: 'fault'; readonly fault: Fault; readonly chart: string | null }
  | {
      readonly kind: 'read';
      readonly chart: string;
      readonly segments: readonly Segment[];
      readonly refers: readonly string[];
      readonly counts: Readonly<Record<string, number>>;
    };

const REFERS_MAX = 10_000;

/** Reads the whole chart of one patient into segments. `put` stores those for which there is no room to wait. */
export async function readPatient(
  deps: { readonly chart: ReadChart; readonly patients: FindPatients },
  { mrn }: WaitingPatient,
  asked: ChartAsk,
  caller: Caller,
  put: (segments: readonly Segment[]) => Promise<Result<LeaseOutcome>>,
): Promise<PatientRead> {
  const found = await deps.patients.byMrn(mrn, caller);
  if (!found.ok) return { kind: 'fault', fault: found.fault, chart: null };
  const patient = found.value;
  const writer = makeSegmentWriter(put);
  const refers = new Set<string>();
  for await (const page of deps.chart.lines(asked, patient, caller)) {
    if (!page.ok) return { kind: 'fault', fault: page.fault, chart: patient.id };
    for (const name of page.value.refers) if (refers.size < REFERS_MAX) refers.add(name);
    const added = await writer.add(page.value);
    if (!added.ok) return { kind: 'fault', fault: added.fault, chart: patient.id };
    if (added.value === 'lost') return { kind: 'lost' };
  }
  const segments = await writer.finish();
  return { kind: 'read', chart: patient.id, segments, refers: [...refers], counts: writer.counts() };
}

/** The one record of a patient: whose records of which types went into the export, for whom. */
export const auditOfPatient = (
  deps: { readonly tenant: string; readonly clock: Clock },
  job: ClaimedExport,
  patient: WaitingPatient,
  of: { readonly chart: string | null; readonly counts: Readonly<Record<string, number>>; readonly why: string | null },
): AuditDraft => ({
  at: deps.clock.now(),
  type: 'fhir.export',
  tenant: deps.tenant,
  requestId: job.requestId,
  action: 'R',
  outcome: of.why === null ? '0' : '8',
  ...(of.why === null ? {} : { why: of.why }),
  client: job.client,
  issuer: job.issuer,
  tokenId: job.tokenId,
  interaction: 'operation',
  resourceType: 'Patient',
  to: job.id,
  count: Object.values(of.counts).reduce((sum, count) => sum + count, 0),
  counts: of.counts,
  toSeal: {
    subject: job.client,
    patient: { system: patient.mrnSystem, mrn: patient.mrn },
    ...(of.chart === null ? {} : { chart: of.chart }),
  },
});

/** What a client is told of a patient who could not be read; an MRN is never in it. */
export const errorSegment = async (fault: Fault, chart: string | null, requestId: string): Promise<Segment> =>
  toSegment({
    n: 0,
    type: 'OperationOutcome',
    resources: 1,
    before: 0,
    lines: [errorLine(fault, chart === null ? 'a patient of the export' : `Patient/${chart}`, requestId)],
  });

/** Whether it is worth while to try again later: it says something about the EHR or the gateway, not about the patient. */
export const isPassing = ({ kind }: Fault): boolean =>
  kind === 'ehr-unavailable' || kind === 'ehr-timeout' || kind === 'overloaded' || kind === 'issuer-unavailable';
