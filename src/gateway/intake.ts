import { makeRecordReject, type makeAppendLater } from '../audit/index.ts';
import type { Config } from '../config/index.ts';
import type { StoredDelivery } from '../inbox/index.ts';
import { dataAuthenticators, notificationAuthenticators, type IngestDeps, type Refusal } from '../ingest/index.ts';
import type { Part, Signal } from '../kernel/index.ts';
import { PARTS } from '../pipeline.ts';

/** Makes what takes deliveries in, and what records those who are refused. */
export function makeIntake(
  deps: Pick<IngestDeps, 'tenant' | 'instance' | 'inbox' | 'budget' | 'newId' | 'clock'> & {
    readonly config: Config;
    readonly appendLater: ReturnType<typeof makeAppendLater>;
    readonly pseudonymKey: Uint8Array;
    readonly stored: Signal<StoredDelivery>;
    readonly refused: Signal<Refusal>;
  },
) {
  const { config, tenant, pseudonymKey, clock } = deps;
  const { hmac, learn } = config.ingest;
  const rejecting = { append: deps.appendLater, tenant, pseudonymKey, clock };
  const rejects = makeRecordReject({ ...rejecting, as: { type: 'hook.reject', action: 'C' } });
  const noOperators = makeRecordReject({ ...rejecting, as: { type: 'admin', action: 'E' } });
  const senders = { ...config.ingest, trustProxy: config.http.trustProxy };
  const refusals: Part = {
    stop() {
      rejects.flush();
      noOperators.flush();
    },
  };
  return {
    ingest: PARTS.receive({
      ...deps,
      data: dataAuthenticators(senders),
      notifications: notificationAuthenticators(senders),
      learn: learn && hmac.scheme !== 'off' ? hmac : null,
      bodyBytesMax: config.http.bodyBytesMax,
      rejects,
      onRefused: deps.refused.emit,
      onStored: deps.stored.emit,
    }),
    refusals,
    /** Somebody without the operator's token. */
    refuseOperator: noOperators.record,
  };
}
