import type { Dialect } from '../../../src/mappings/index.ts';

/** A dialect that believes the CapabilityStatement and takes everything. */
export const aDialect = (
  more: Partial<Omit<Dialect, 'write'>> & { write?: Partial<Dialect['write']> } = {},
): Dialect => {
  const { write, ...rest } = more;
  return {
    row: 'dialect-test.json#test',
    source: 'test',
    reviewer: 'test',
    name: 'test',
    title: 'Test',
    recognisedBy: null,
    types: null,
    categories: null,
    componentsOf: null,
    effective: 'as-given',
    interpretationsMax: null,
    referenceRange: 'typed',
    performer: 'patient',
    device: 'resource',
    provenance: 'resource',
    extensions: 'keep',
    preliminary: 'keep',
    amendedStatus: 'amended',
    retraction: 'entered-in-error',
    zeroAlerts: 'write',
    profiles: [],
    ...rest,
    write: {
      bundle: 'auto',
      identity: 'auto',
      references: 'in-bundle',
      entriesMax: 100,
      bytesMax: 1_000_000,
      searchSettleMs: 10_000,
      answer: 'minimal',
      update: 'direct',
      ifMatch: 'auto',
      ...write,
    },
  };
};
