import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { EhrRequest } from './exchange.ts';
import type { Ehr } from './open-ehr.ts';

/** What may be sent to the EHR. In shadow mode it is `read-only`. */
export type EhrAccess = 'read-only' | 'read-write';

const SEARCH_PATH = /^[A-Z][A-Za-z]{0,63}\/_search$/;

/** GET without a body, and POST of a form to the `_search` of a type. Everything else may change something. */
export const isReadRequest = ({
  method,
  path,
  form,
  body,
}: Pick<EhrRequest, 'method' | 'path' | 'form' | 'body'>): boolean =>
  body === undefined &&
  (method === 'GET' ? form === undefined : method === 'POST' && form !== undefined && SEARCH_PATH.test(path));

export const checkAccess = (access: EhrAccess, request: EhrRequest): Result<null> =>
  access === 'read-write' || isReadRequest(request) ? ok(null) : fail(fault('ehr.shadow'));

/** The same EHR for a caller that must not write, whatever the mode of the process is. */
export function readOnlyEhr(ehr: Ehr): Ehr {
  return {
    ...ehr,
    async send(request) {
      const allowed = checkAccess('read-only', request);
      return allowed.ok ? ehr.send(request) : { exchange: null, verdict: { kind: 'rejected', fault: allowed.fault } };
    },
    async ask(request) {
      const allowed = checkAccess('read-only', request);
      return allowed.ok ? ehr.ask(request) : allowed;
    },
  };
}
