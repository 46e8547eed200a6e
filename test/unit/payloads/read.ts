import { parsePayload, type Payload, type PayloadOptions } from '../../../src/payloads/index.ts';
import { CLIENT } from '../../support/payloads/index.ts';

export const OPTIONS: PayloadOptions = { clientUuid: CLIENT, documentKey: 'bundle-id', labPath: null };

export function payloadOf(value: unknown, more: Partial<PayloadOptions> = {}): Payload {
  const parsed = parsePayload(value, { ...OPTIONS, ...more });
  if (!parsed.ok) throw new Error(`${parsed.fault.code} at ${parsed.fault.at ?? ''}`);
  return parsed.value;
}

/** Why a payload is not believed: code and place. `believed` where it is. */
export function faultOf(value: unknown, more: Partial<PayloadOptions> = {}): readonly [code: string, at?: string] {
  const parsed = parsePayload(value, { ...OPTIONS, ...more });
  if (parsed.ok) return ['believed'];
  return parsed.fault.at === undefined ? [parsed.fault.code] : [parsed.fault.code, parsed.fault.at];
}
