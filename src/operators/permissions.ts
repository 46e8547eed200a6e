/** Who an operator may be. Roles add up: an operator has the permissions of all of them. */
export const ROLES = ['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** What a route of the admin API can ask for. Each route asks for one. */
export const PERMISSIONS = [
  /** Counts, rates, states of parts: nothing of a patient. */
  'flow.read',
  'deliveries.read',
  /** Replay, discard, notes, assignment, bulk jobs. */
  'deliveries.act',
  /** The bytes as they were received. */
  'deliveries.raw',
  /** Approve a suspicious plan, decide a conflict. */
  'plans.decide',
  'mappings.read',
  'mappings.change',
  /** Sign off rows of mapping and plausibility data. */
  'mappings.sign-off',
  'targets.read',
  'targets.act',
  'links.read',
  'links.change',
  'patients.read',
  /** Connections, laboratory documents, profiles and monitoring rules at the source. */
  'patients.enrol',
  'patients.erase',
  /** Names of an MRN or a user for addresses: for whoever may see patients. */
  'handles.make',
  'audit.read',
  'audit.export',
  'apps.read',
  'apps.change',
  /** Start an app in the context of a patient, as an EHR does. */
  'apps.launch',
  'operators.read',
  'operators.change',
  'keys.read',
  'keys.change',
  'settings.read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The one table that decides what a role may. */
export const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['flow.read'],
  engineer: [
    'flow.read',
    'deliveries.read',
    'deliveries.act',
    'deliveries.raw',
    'mappings.read',
    'mappings.change',
    'targets.read',
    'targets.act',
    'links.read',
    'patients.read',
    'handles.make',
    'settings.read',
  ],
  'clinical-reviewer': [
    'flow.read',
    'deliveries.read',
    'plans.decide',
    'mappings.read',
    'mappings.sign-off',
    'targets.read',
    'links.read',
    'patients.read',
    'handles.make',
  ],
  registrar: ['flow.read', 'links.read', 'links.change', 'patients.read', 'patients.enrol', 'handles.make'],
  auditor: ['audit.read', 'audit.export'],
  administrator: [
    'flow.read',
    'patients.erase',
    'apps.read',
    'apps.change',
    'apps.launch',
    'operators.read',
    'operators.change',
    'keys.read',
    'keys.change',
    'settings.read',
    'targets.read',
  ],
};

/** What several roles may together. */
export const permissionsOf = (roles: readonly Role[]): ReadonlySet<Permission> =>
  new Set(roles.flatMap((role) => PERMISSIONS_OF[role]));

/** What asks a person for a second proof, and a machine's key for the permission by name. */
export const STEP_UP: ReadonlySet<Permission> = new Set<Permission>(['deliveries.raw', 'audit.export']);

export const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);
export const isPermission = (value: unknown): value is Permission => PERMISSIONS.some((one) => one === value);
