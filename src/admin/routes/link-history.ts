import { fail, fault, ok, type FaultCode, type Result } from '../../kernel/index.ts';
import type { AuditReads, AuditRecord, AuditWrites } from '../../audit/index.ts';
import type { AskedPatient, PatientPreview } from '../../ehr/index.ts';
import { isUserId, type IdentityReads, type IdentityWrites, type ShownLink } from '../../identity/index.ts';
import type { Operate } from '../../store/index.ts';
import { PAGE } from '../contract/fields.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

/** Of so many patients, the newest first, the changes are looked up: more were never one user. */
const PATIENTS_MAX = 20;

/** What the EHR said that is an answer to the question, and no failure to ask it. */
const FOUND: Partial<Record<FaultCode, 'none' | 'several' | 'inactive' | 'merged' | 'unverified'>> = {
  'patient.none': 'none',
  'patient.many': 'several',
  'patient.inactive': 'inactive',
  'patient.merged': 'merged',
  'patient.unverified': 'unverified',
};

/** Whom a link would be to, and whom it was to before. */
export function makeLinkHistoryRoutes(deps: {
  readonly tenant: string;
  readonly clientUuid: string | null;
  readonly mrnSystem: string;
  readonly identity: Operate<IdentityWrites, IdentityReads>;
  readonly audit: Operate<AuditWrites, AuditReads>;
  readonly preview: (asked: AskedPatient) => Promise<Result<PatientPreview>>;
}): AdminRoute[] {
  const { tenant, mrnSystem, identity, audit } = deps;
  const anyLink = { tenant, status: null, user: null, patient: null, before: null, limit: PAGE.most } as const;

  /** The audit finds its records by the patient; those of the user's links are picked out. */
  async function changesOf(links: readonly ShownLink[]) {
    const mrns = [...new Set(links.map(({ mrn }) => mrn))].slice(0, PATIENTS_MAX);
    const mrnOf = new Map(links.map(({ id, mrn }) => [id, mrn]));
    const found: AuditRecord[] = [];
    for (const mrn of mrns) {
      const records = await audit.read('audit.search', {
        tenant,
        patient: { system: mrnSystem, mrn },
        chart: null,
        actors: null,
        client: null,
        delivery: null,
        request: null,
        types: ['link.change'],
        tellingOf: [],
        outcome: null,
        fromMs: null,
        toMs: null,
        before: null,
        limit: PAGE.most,
        sealed: 'leave',
      });
      if (!records.ok) return records;
      found.push(...records.value.map(({ record }) => JSON.parse(record) as AuditRecord));
    }
    const changes = found.flatMap(({ at, linkId = '', from = null, to = '', why = null, actor = '', roles = [] }) => {
      const mrn = mrnOf.get(linkId);
      return mrn === undefined ? [] : [{ at, linkId, mrn, from, to, why, by: actor, roles: [...roles] }];
    });
    return ok(changes.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, PAGE.most));
  }

  return [
    defineRoute('links.preview', async ({ params: { mrn } }, { requestId, record }) => {
      const asked = { mrnSystem, mrn };
      const linked = await identity.read('identity.list', { ...anyLink, status: 'confirmed', patient: asked });
      if (!linked.ok) return linked;
      const shown = await deps.preview({ ...asked, requestId });
      const found = shown.ok ? 'one' : FOUND[shown.fault.code];
      const patients = [{ system: mrnSystem, mrn }];
      const recorded = await record({ action: 'R', outcome: found === undefined ? '8' : '0', patients });
      if (!recorded.ok) return recorded;
      const linkedUsers = linked.value.length;
      if (shown.ok) return ok({ found: 'one' as const, patient: shown.value, linkedUsers });
      return found === undefined ? shown : ok({ found, patient: null, linkedUsers });
    }),

    defineRoute('links.history', async ({ params, query }, { record }) => {
      if (!isUserId(params.user_id)) return fail(fault('link.not-found'));
      const client = query.client_uuid ?? deps.clientUuid;
      if (client === null) return fail(fault('link.client', { at: 'client_uuid' }));
      const links = await identity.read('identity.list', { ...anyLink, user: { client, user: params.user_id } });
      if (!links.ok) return links;
      const [newest] = links.value;
      if (newest === undefined) return fail(fault('link.not-found'));
      const changes = await changesOf(links.value);
      if (!changes.ok) return changes;
      const patients = [...new Set(changes.value.map(({ mrn }) => mrn))].map((mrn) => ({ system: mrnSystem, mrn }));
      const recorded = await record({
        action: 'R',
        outcome: '0',
        linkId: newest.id,
        count: changes.value.length,
        patients,
      });
      return recorded.ok ? ok({ changes: changes.value }) : recorded;
    }),
  ];
}
