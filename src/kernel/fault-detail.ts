import type { Fault, FaultCode } from './fault.ts';

/** Where the sentence of the kind would leave open what is meant. Constants, with nothing of a patient in them. */
const DETAILS: Partial<Record<FaultCode, string>> = {
  'ops.unauthenticated': 'This is not the token for whoever watches (CHARTGATE_OPS_TOKEN).',
  'admin.unauthenticated': "This is not the operator's token (CHARTGATE_ADMIN_TOKEN).",
  'admin.not-configured': "There is no operator's token: set CHARTGATE_ADMIN_TOKEN and start again.",
  'admin.forbidden': 'None of the roles of this caller may do that.',
  'delivery.not-found': 'There is no delivery of this id.',
  'delivery.state': 'The delivery is not in a state in which that can be done to it.',
  'target.not-found': 'There is no target of this id; `GET /admin/api/targets` lists them.',
  'link.not-found': 'This source user has no link.',
  'client.not-found': 'There is no app of this id.',
  'account.not-found': 'There is no person of this id.',
  'erase.not-found': 'Nothing is stored of this source user.',
  'enrol.not-found': 'No source user is linked to this MRN.',
};

/** What is to be said beside the sentence of its kind; null where that says it all. */
export const detailOfFault = ({ code, detail }: Fault): string | null => detail ?? DETAILS[code] ?? null;
