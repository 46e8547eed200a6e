import { AUDIT_TYPES, type AuditRecord, type AuditType, type ToSeal } from './record.ts';

/*
 * A record as IHE's Basic Audit Log Patterns have it. https://profiles.ihe.net/ITI/BALP/
 * Their profiles are of successes; what failed has the same form, and no profile.
 */

type Coding = { readonly system: string; readonly code: string; readonly display?: string };
type Reference = Readonly<Record<string, unknown>>;
type Agent = Readonly<Record<string, unknown>>;
type Entity = Readonly<Record<string, unknown>>;

/** An AuditEvent of FHIR R4. */
export type AuditEvent = { readonly resourceType: 'AuditEvent'; readonly id: string } & Readonly<
  Record<string, unknown>
>;

export interface EventSite {
  /** Where we are reached, and where the EHR is. */
  readonly publicUrl: string;
  readonly ehrUrl: string;
}

const TERMINOLOGY = 'http://terminology.hl7.org/CodeSystem';
const BALP = 'https://profiles.ihe.net/ITI/BALP';
const PSEUDONYM = 'urn:chartgate:pseudonym';
export const CLIENT_SYSTEM = 'urn:chartgate:client';
const ROLE_SYSTEM = 'urn:chartgate:role';
export const TYPE_SYSTEM = 'urn:chartgate:audit-type';

const DCM = (code: string, display: string): Coding => ({
  system: 'http://dicom.nema.org/resources/ontology/DCM',
  code,
  display,
});
const REST: Coding = { system: `${TERMINOLOGY}/audit-event-type`, code: 'rest', display: 'Restful Operation' };
const DESTINATION = DCM('110152', 'Destination Role ID');
const SOURCE = DCM('110153', 'Source Role ID');
const APPLICATION = DCM('110150', 'Application');
const ACTIVITY = DCM('110100', 'Application Activity');
const ALERT = DCM('110113', 'Security Alert');
const CUSTODIAN: Coding = {
  system: `${TERMINOLOGY}/provenance-participant-type`,
  code: 'custodian',
  display: 'Custodian',
};
const participation = (code: string): Coding => ({ system: `${TERMINOLOGY}/v3-ParticipationType`, code });
const interactionOf = (code: string): Coding => ({ system: 'http://hl7.org/fhir/restful-interaction', code });
const entityType = (code: string): Coding => ({ system: `${TERMINOLOGY}/audit-entity-type`, code });
const objectRole = (code: string): Coding => ({ system: `${TERMINOLOGY}/object-role`, code });

/** How each kind of event is coded, and who takes which part in it. */
interface Shape {
  readonly type: Coding;
  readonly subtype: readonly Coding[];
  readonly profile: string | null;
  readonly client: Coding;
  readonly server: Coding;
  readonly user: Coding;
  readonly leg: 'app-to-us' | 'source-to-us' | 'us-to-ehr' | 'us';
}

const writing = { client: SOURCE, server: DESTINATION, user: participation('AUT') } as const;
const reading = { client: DESTINATION, server: SOURCE, user: participation('IRCP') } as const;
const asking = { client: SOURCE, server: DESTINATION, user: participation('IRCP') } as const;
const deleting = { client: APPLICATION, server: CUSTODIAN, user: participation('AUT') } as const;
const deny = { type: ALERT, subtype: [], profile: null } as const;
const within = { type: ACTIVITY, subtype: [], profile: null, ...asking, leg: 'us' } as const;

const WRITES = {
  C: { code: 'create', profile: 'Create', parts: writing },
  U: { code: 'update', profile: 'Update', parts: writing },
  D: { code: 'delete', profile: 'Delete', parts: deleting },
} as const;

function shapeOf(r: Pick<AuditRecord, 'type'> & Partial<Pick<AuditRecord, 'interaction' | 'action' | 'to'>>): Shape {
  switch (r.type) {
    case 'fhir.read':
      return {
        type: REST,
        subtype: [interactionOf(r.interaction ?? 'read')],
        profile: 'Read',
        ...reading,
        leg: 'app-to-us',
      };
    case 'fhir.search':
      return {
        type: REST,
        subtype: [interactionOf(r.interaction ?? 'search-type')],
        profile: 'Query',
        ...asking,
        leg: 'app-to-us',
      };
    case 'fhir.validate':
    case 'fhir.export':
      return { type: REST, subtype: [interactionOf('operation')], profile: null, ...asking, leg: 'app-to-us' };
    case 'fhir.subscribe':
      return {
        type: REST,
        subtype: [interactionOf(r.interaction ?? 'create')],
        profile: null,
        ...asking,
        leg: 'app-to-us',
      };
    case 'fhir.notify':
      return { type: REST, subtype: [interactionOf('operation')], profile: null, ...reading, leg: 'app-to-us' };
    case 'fhir.deny':
      return { ...deny, ...reading, leg: 'app-to-us' };
    case 'auth.sign-in':
    case 'auth.grant':
      return {
        type: DCM('110114', 'User Authentication'),
        subtype: [DCM('110122', 'Login')],
        profile: null,
        ...asking,
        leg: 'app-to-us',
      };
    case 'operator.sign-in':
      return {
        type: DCM('110114', 'User Authentication'),
        subtype: [DCM('110122', 'Login')],
        profile: null,
        ...asking,
        leg: 'us',
      };
    case 'auth.reject':
      return { ...deny, ...asking, leg: 'app-to-us' };
    case 'hook.accept':
      return { type: REST, subtype: [interactionOf('create')], profile: 'Create', ...writing, leg: 'source-to-us' };
    case 'hook.reject':
      return { ...deny, ...writing, leg: 'source-to-us' };
    case 'ehr.read':
      return {
        type: REST,
        subtype: [interactionOf(r.interaction ?? 'search-type')],
        profile: 'Query',
        ...asking,
        leg: 'us-to-ehr',
      };
    case 'ehr.write': {
      const { code, profile, parts } = WRITES[r.action === 'C' || r.action === 'D' ? r.action : 'U'];
      return { type: REST, subtype: [interactionOf(code)], profile, ...parts, leg: 'us-to-ehr' };
    }
    case 'process':
      return {
        ...within,
        subtype: [r.to === 'stopped' ? DCM('110121', 'Application Stop') : DCM('110120', 'Application Start')],
      };
    case 'config':
      return { ...within, subtype: [DCM('110131', 'Software Configuration')] };
    case 'admin':
    case 'delivery.change':
    case 'link.change':
      return within;
  }
}

const named = (system: string, value: string, type?: string): Reference => ({
  ...(type === undefined ? {} : { type }),
  identifier: { system, value },
});
const address = (uri: string) => ({ address: uri, type: '5' });
const US: Reference = { display: 'Chartgate' };

function agentsOf(r: AuditRecord, opened: ToSeal, site: EventSite, shape: Shape): Agent[] {
  const caller = address(`${PSEUDONYM}:${r.addressHash ?? 'unknown'}`);
  const parts = {
    'app-to-us': [named(CLIENT_SYSTEM, r.client ?? 'unknown'), caller, US, address(site.publicUrl)],
    'source-to-us': [{ display: r.actor ?? 'source' }, caller, US, address(site.publicUrl)],
    'us-to-ehr': [US, address(site.publicUrl), { display: 'EHR' }, address(site.ehrUrl)],
    us: [US, address(site.publicUrl), US, address(site.publicUrl)],
  } as const;
  const [clientWho, clientAt, serverWho, serverAt] = parts[shape.leg];
  const subject = opened.subject ?? r.subjectHash;
  const isUser = subject !== undefined || r.actor !== undefined;
  return [
    { type: { coding: [shape.client] }, who: clientWho, requestor: false, network: clientAt },
    { type: { coding: [shape.server] }, who: serverWho, requestor: false, network: serverAt },
    ...(r.client === undefined || shape.client.code === APPLICATION.code
      ? []
      : [{ type: { coding: [APPLICATION] }, who: named(CLIENT_SYSTEM, r.client), requestor: false }]),
    ...(isUser
      ? [
          {
            type: { coding: [shape.user] },
            who:
              subject === undefined
                ? { display: r.actor }
                : named(opened.subject === undefined ? PSEUDONYM : (r.issuer ?? PSEUDONYM), subject),
            requestor: true,
            ...(r.roles === undefined
              ? {}
              : { role: r.roles.map((code) => ({ coding: [{ system: ROLE_SYSTEM, code }] })) }),
            ...(r.tokenId === undefined ? {} : { policy: [`urn:ietf:params:oauth:jti:${r.tokenId}`] }),
          },
        ]
      : []),
  ];
}

const data = (what: Reference): Entity => ({ what, type: entityType('2'), role: objectRole('4') });

/** The delivery, with each change that the record names. */
const changedDelivery = ({ deliveryId, steps }: AuditRecord): Entity[] =>
  deliveryId === undefined || steps === undefined
    ? []
    : [
        {
          ...data(named('urn:chartgate:delivery', deliveryId)),
          detail: steps.map(({ from, to, why }) => ({
            type: 'delivery.change',
            valueString: `${from} to ${to}${why === undefined ? '' : `: ${why}`}`,
          })),
        },
      ];

function resourcesOf(r: AuditRecord, opened: ToSeal): Entity[] {
  if (r.type === 'fhir.search' || r.type === 'ehr.read')
    return [
      {
        type: entityType('2'),
        role: objectRole('24'),
        query: Buffer.from(opened.query ?? '[sealed]').toString('base64'),
      },
    ];
  const made = (r.resources ?? []).map((one) => {
    const [type = '', name = ''] = one.split('/');
    return data(named('urn:chartgate:measurement', name, type));
  });
  const changed = changedDelivery(r);
  if (made.length + changed.length > 0) return [...made, ...changed];
  if (r.resourceType !== undefined && opened.resourceId !== undefined)
    return [data({ reference: `${r.resourceType}/${opened.resourceId}` })];
  if (r.resourceType !== undefined) return [data(named(PSEUDONYM, r.resourceHash ?? 'unknown', r.resourceType))];
  if (r.deliveryId !== undefined) return [data(named('urn:chartgate:delivery', r.deliveryId))];
  return r.linkId === undefined ? [] : [data(named('urn:chartgate:link', r.linkId))];
}

function patientOf(r: AuditRecord, opened: ToSeal): Entity[] {
  const hash = r.chartHash ?? r.patientHash;
  if (hash === undefined) return [];
  const { chart, patient } = opened;
  const what =
    chart !== undefined
      ? { reference: `Patient/${chart}` }
      : patient !== undefined
        ? named(patient.system, patient.mrn, 'Patient')
        : named(PSEUDONYM, hash, 'Patient');
  return [{ what, type: entityType('1'), role: objectRole('1') }];
}

/** The id of a record's AuditEvent: its place, in the letters that R4 has for ids. */
const eventId = ({ chain, seq }: Pick<AuditRecord, 'chain' | 'seq'>): string => `${chain.replaceAll('_', '-')}-${seq}`;

/**
 * Where the record of an AuditEvent stands; null for what is no such id. Our own chains have one underscore, behind
 * their prefix.
 */
export function eventPlace(id: string): { readonly chain: string; readonly seq: number } | null {
  const [, instance, seq] = /^ins-([\w.-]{1,100})-(\d{1,15})$/.exec(id) ?? [];
  return instance === undefined ? null : { chain: `ins_${instance}`, seq: Number(seq) };
}

/** What a record tells of: an attempt at the EHR also of the changes that it brought. */
const toldTypes = ({ type, steps }: AuditRecord): readonly AuditType[] =>
  steps === undefined || type === 'delivery.change' ? [type] : [type, 'delivery.change'];

/** The types of records whose AuditEvent has this type. */
export const typesCoded = ({
  system,
  code,
}: {
  readonly system: string | null;
  readonly code: string;
}): readonly AuditType[] =>
  AUDIT_TYPES.filter((type) => {
    const { type: coding } = shapeOf({ type });
    return coding.code === code && (system === null || system === coding.system);
  });

/**
 * One AuditEvent for one record. `opened` is what was sealed with it, for whoever may know; without it, pseudonyms
 * stand there.
 */
export function toAuditEvent(r: AuditRecord, site: EventSite, opened: ToSeal | null = null): AuditEvent {
  const shape = shapeOf(r);
  const known = opened ?? {};
  const patient = patientOf(r, known);
  const entities = [
    ...resourcesOf(r, known),
    ...patient,
    {
      what: { identifier: { value: r.requestId } },
      type: { system: `${BALP}/CodeSystem/BasicAuditEntityType`, code: 'XrequestId' },
    },
  ];
  const profile =
    shape.profile === null || r.outcome !== '0'
      ? null
      : `${BALP}/StructureDefinition/IHE.BasicAudit.${patient.length > 0 ? 'Patient' : ''}${shape.profile}`;
  return {
    resourceType: 'AuditEvent',
    id: eventId(r),
    ...(profile === null ? {} : { meta: { profile: [profile] } }),
    type: shape.type,
    subtype: [...shape.subtype, ...toldTypes(r).map((code) => ({ system: TYPE_SYSTEM, code }))],
    action: shape.type === ALERT ? 'E' : r.action,
    recorded: r.at,
    outcome: r.outcome,
    ...(r.why === undefined ? {} : { outcomeDesc: r.why }),
    agent: agentsOf(r, known, site, shape),
    source: { observer: { display: `Chartgate ${r.chain}` } },
    entity: entities,
  };
}
