import type { Json } from './json.ts';

/** Synthetic, and the same in every builder. */
export const CLIENT = '5b1e6f0a-7c1d-4e9b-9a55-0c9f6f1d2e3a';
export const OTHER_CLIENT = '0d9e8f7a-1111-4222-8333-444455556666';
export const USER = 'user-0001';
export const OTHER_USER = 'user-0002';

export interface EnvelopeOverrides {
  readonly clientUuid?: string;
  /** Stands wherever the payload names its user. */
  readonly userId?: string;
  readonly documentVersion?: number;
  /** Further or other fields of the top level, written last. */
  readonly fields?: Json;
}

export function envelopeOf(dataStructure: string, version: number, overrides: EnvelopeOverrides): Json {
  const { clientUuid = CLIENT, userId = USER, documentVersion = 1 } = overrides;
  return {
    version,
    data_structure: dataStructure,
    client_uuid: clientUuid,
    user_id: userId,
    document_version: documentVersion,
  };
}
