import type { CapabilityStatementRestResource } from '@medplum/fhirtypes';

type Operation = NonNullable<CapabilityStatementRestResource['operation']>[number];

const BULK_DATA = 'http://hl7.org/fhir/uv/bulkdata';

/** That the operations below are there, as the Bulk Data Access guide has them. */
export const BULK_DATA_INSTANTIATES = `${BULK_DATA}/CapabilityStatement/bulk-data`;

const exportOf = (definition: string, what: string): Operation => ({
  name: 'export',
  definition: `${BULK_DATA}/OperationDefinition/${definition}`,
  documentation: `${what}, for clients with system/ scopes, by GET or POST with Prefer: respond-async.`,
});

export const EXPORT_SYSTEM = exportOf('export', 'All linked patients');
export const EXPORT_PATIENTS = exportOf('patient-export', 'All linked patients, or those named');

/** The gateway's own, whatever the EHR has. */
export const GROUP: CapabilityStatementRestResource = {
  type: 'Group',
  documentation: 'Groups of linked patients that this gateway keeps, for a token with system/Group.',
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  versioning: 'no-version',
  referencePolicy: ['literal', 'local'],
  searchParam: [
    { name: '_id', type: 'token' },
    { name: 'name', type: 'string' },
  ],
  operation: [exportOf('group-export', 'The linked patients of a group')],
};
