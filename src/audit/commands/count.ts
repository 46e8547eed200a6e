import { all, fragment, words, type CommandContext, type Fragment, type Program } from '../../store/index.ts';
import type { AuditCounts, AuditReads, CountAsked, CountedBy } from '../commands.ts';
import { ACTOR, ACTS, oneOf } from '../rows.ts';

type Counts = AuditReads['audit.counts'];

const LOOKS = oneOf([
  'admin',
  'link.change',
  'fhir.read',
  'fhir.search',
  'fhir.deny',
  'auth.sign-in',
  'auth.grant',
  'auth.reject',
]);

/** The newest first, so that what is left out of too many is the oldest. */
const newest = (name: Fragment, which: Fragment, { tenant, fromMs, toMs, most }: CountAsked): Fragment => fragment`
  SELECT at, ${name} AS name FROM audit_record
  WHERE tenant = ${tenant} AND at >= ${fromMs} AND at < ${toMs} AND ${which} ORDER BY at DESC LIMIT ${most + 1}`;

/**
 * A patient whom the audit knows under an MRN and under an id of the EHR is one: records with the latter alone count
 * for the former.
 */
const PATIENT = words(`coalesce(patient, (SELECT min(c.patient) FROM audit_chart c
  WHERE c.tenant = audit_record.tenant AND c.chart = audit_record.chart), chart)`);

const RECORDS: Readonly<Record<CountedBy, (asked: CountAsked) => Fragment>> = {
  actor: (asked) => newest(fragment`${ACTOR}`, fragment`${ACTS}`, asked),
  app: (asked) => newest(fragment`client`, fragment`${LOOKS} AND client IS NOT NULL`, asked),
  patient: (asked) =>
    newest(fragment`${PATIENT}`, fragment`${LOOKS} AND (patient IS NOT NULL OR chart IS NOT NULL)`, asked),
};

export function* countActs(_: CommandContext, asked: Counts['args']): Program<AuditCounts> {
  const { fromMs, widthMs, most } = asked;
  const rows = yield* all`
    SELECT name, CAST((at - ${fromMs}) / ${widthMs} AS INTEGER) AS point, count(*) AS n FROM (${RECORDS[asked.by](asked)}) AS r
    GROUP BY name, point ORDER BY name, point`;
  const counts = rows
    .filter((row) => row['name'] !== null)
    .map((row) => ({ name: String(row['name']), point: Number(row['point']), count: Number(row['n']) }));
  const counted = rows.reduce((sum, row) => sum + Number(row['n']), 0);
  return { counts, counted: Math.min(counted, most), isExact: counted <= most };
}
