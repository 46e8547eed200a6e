/** What each type of record tells. */
export const TYPES = [
  ['hook.accept', 'Delivery received'],
  ['hook.reject', 'Webhook refused'],
  ['delivery.change', 'Delivery changed state'],
  ['link.change', 'Link changed'],
  ['ehr.read', 'Read at the EHR'],
  ['ehr.write', 'Written to the EHR'],
  ['fhir.read', 'App read a resource'],
  ['fhir.search', 'App searched'],
  ['fhir.validate', 'App had a resource judged'],
  ['fhir.export', 'App took charts away in bulk'],
  ['fhir.deny', 'App was refused'],
  ['auth.sign-in', 'Clinician signed in'],
  ['auth.grant', 'Access granted to an app'],
  ['auth.reject', 'Access refused'],
  ['operator.sign-in', 'Operator signed in'],
  ['admin', 'Act of an operator'],
  ['config', 'Settings changed'],
  ['process', 'Gateway started or stopped'],
] as const;
export type AuditType = (typeof TYPES)[number][0];
export const typeWords = (type: string): string => TYPES.find(([one]) => one === type)?.[1] ?? type;
export const isType = (value: string | undefined): value is AuditType => TYPES.some(([one]) => one === value);

export const OUTCOMES = [
  ['0', 'Done'],
  ['refused', 'Not done, for any reason'],
  ['4', 'Refused'],
  ['8', 'Failed'],
  ['12', 'Failed badly'],
] as const;
type Outcome = (typeof OUTCOMES)[number][0];
export const outcomeWords = (outcome: string): string => OUTCOMES.find(([one]) => one === outcome)?.[1] ?? outcome;
export const isOutcome = (value: string | undefined): value is Outcome => OUTCOMES.some(([one]) => one === value);

const ACTIONS: Readonly<Record<string, string>> = {
  C: 'made',
  R: 'looked at',
  U: 'changed',
  D: 'removed',
  E: 'carried out',
};
export const actionWords = (action: string): string => ACTIONS[action] ?? action;

/** What is wrong with a log, as the verification names it. */
const FLAWS: Readonly<Record<string, string>> = {
  'record-changed': 'a record was changed',
  'record-missing': 'a record is missing: removed, or cut off',
  'record-moved': 'a record is not where it belongs',
  'link-broken': 'a link of the chain was changed',
  'columns-changed': 'what a record is searched by was changed',
  'pairs-changed': 'which MRN is which Patient is not what the records say',
  'chain-missing': 'a whole chain is missing',
  'chain-start': 'a chain does not begin where the one before it ended',
  rechained: 'records were changed and their hashes made to fit; the signed checkpoint does not agree',
  withheld: 'the database says that more is signed than is',
  'checkpoint-missing': 'a checkpoint is missing',
  'checkpoint-forged': 'a checkpoint was not signed by this key, or was changed',
  'checkpoint-order': 'a checkpoint does not follow the one before it',
  root: 'the records do not add up to the signed root',
  'anchor-missing': 'a checkpoint that was kept elsewhere is not here',
  'segment-missing': 'an exported segment is not beside the anchor',
  'segment-changed': 'an exported segment is not what was signed',
};
export const flawWords = (what: string): string => FLAWS[what] ?? what;

/** What an operator did or looked at, where the name alone says little. */
const WHYS: Readonly<Record<string, string>> = {
  account: 'a clinician’s account',
  accounts: 'the list of clinicians',
  'api-key': 'an API key',
  'api-keys': 'the list of API keys',
  'audit.counts': 'counts of the audit',
  'audit.export-csv': 'export of the audit, as a table',
  'audit.export-open': 'export of the audit, with what was sealed',
  'audit.export-records': 'export of the audit, with its proofs',
  'audit.export-sealed': 'export of the audit',
  'audit.key': 'the key of the checkpoints',
  'audit.record': 'one record of the audit',
  'audit.remove-search': 'a saved search',
  'audit.save-search': 'a saved search',
  'audit.search': 'search of the audit',
  'audit.searches': 'the saved searches',
  'audit.verify': 'verification of the audit',
  client: 'an app',
  clients: 'the list of apps',
  code: 'by the code of an app',
  deliveries: 'the list of deliveries',
  delivery: 'one delivery',
  'delivery group patients': 'whose the deliveries of a group are',
  'delivery group words': 'which words a group waits for',
  disabled: 'the account is disabled',
  'end-session': 'a session was ended',
  erase: 'a patient was erased',
  export: 'a bulk export',
  exports: 'the list of bulk exports',
  grants: 'what an app or a person was given',
  group: 'a group of patients',
  'group members': 'who is in a group of patients',
  groups: 'the list of groups of patients',
  'job preview': 'what a bulk job would move',
  'job.start': 'a bulk job was started',
  'job.stop': 'a bulk job was stopped',
  launch: 'a launch of an app',
  ledger: 'the ledger',
  link: 'by a one-time link',
  note: 'a note on a delivery',
  operator: 'an operator',
  'operator-factor': 'a second factor of an operator was taken away',
  'operator-password': 'their own password',
  'operator-reset': 'an operator was reset',
  'operator-roles': 'the roles of an operator',
  'operator-state': 'an operator was disabled or enabled',
  'operator factors': 'the second factors of an operator',
  operators: 'the list of operators',
  passkey: 'by passkey',
  password: 'by password',
  restriction: 'whether a patient is restricted',
  restrict: 'a patient was marked as restricted',
  series: 'figures over time',
  stream: 'the live flow',
  subscription: 'one subscription of an app',
  'subscription.end': 'a subscription of an app was ended',
  subscriptions: 'the list of subscriptions',
  target: 'the EHR was paused or resumed',
  targets: 'the state of the EHR',
  unlock: 'unlocked by password',
  unrestrict: 'a patient is restricted no longer',
  'unknown-name': 'nobody has that name',
  'wrong-password': 'wrong password',
};
export const whyWords = (why: string): string => WHYS[why] ?? why;
