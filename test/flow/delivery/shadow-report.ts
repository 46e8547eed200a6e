import { eventually } from '../../support/eventually.ts';
import type { Rig } from './rig.ts';

/** As `GET /admin/api/shadow` answers. */
export interface ShadowReport {
  readonly mode: string;
  readonly state: string;
  readonly since: string | null;
  readonly next: string | null;
  readonly waiting: {
    readonly total: number;
    readonly deliveries: number;
    readonly retractions: number;
    readonly lanes: number;
  };
  readonly evaluated: number;
  readonly pending: number;
  readonly outcomes: readonly {
    readonly kind: string;
    readonly reason: string | null;
    readonly faultCode: string | null;
    readonly count: number;
    readonly example: string;
  }[];
  readonly resources: readonly {
    readonly resourceType: string;
    readonly create: number;
    readonly update: number;
    readonly withdraw: number;
    readonly present: number;
    readonly leftOut: number;
  }[];
  readonly newPatients: number;
  readonly parked: readonly { readonly reason: string; readonly count: number; readonly example: string }[];
  readonly quarantined: readonly { readonly reason: string; readonly count: number; readonly example: string }[];
}

export const SHADOW = { CHARTGATE_MODE: 'shadow' };
export const LIVE = { CHARTGATE_MODE: 'live' };

export const reportOf = async (rig: Rig): Promise<ShadowReport> =>
  (await rig.admin('GET', 'shadow')).body as unknown as ShadowReport;

/** The report when so many wait and all of them were evaluated. */
export const evaluatedReport = (rig: Rig, waiting: number): Promise<ShadowReport> =>
  eventually(
    () => reportOf(rig),
    ({ pending, waiting: { total } }) => total === waiting && pending === 0,
  );

export const outcomesOf = ({ outcomes }: ShadowReport): string[] =>
  outcomes.map(({ kind, reason, faultCode, count }) => `${kind} ${reason ?? '-'} ${faultCode ?? '-'} ${count}`).sort();

export const leaveShadow = (rig: Rig, confirm: unknown) => rig.admin('POST', 'shadow/leave', { confirm });

/** What the gateway wrote after this, by type and kind. */
export function writtenByType(rig: Rig, since: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type, kind } of rig.writesSince(since)) counts[`${type} ${kind}`] = (counts[`${type} ${kind}`] ?? 0) + 1;
  return counts;
}

/** The same as the report foretells it; a withdrawal is an update. */
export const foretoldByType = ({ resources }: ShadowReport): Record<string, number> =>
  Object.fromEntries(
    resources.flatMap(({ resourceType, create, update, withdraw }): [string, number][] => [
      ...(create === 0 ? [] : [[`${resourceType} create`, create] as [string, number]]),
      ...(update + withdraw === 0 ? [] : [[`${resourceType} update`, update + withdraw] as [string, number]]),
    ]),
  );
