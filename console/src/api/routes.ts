/* The build puts the table itself here, so that a browser loads none of the contracts: console/build.ts. */
export { ROUTE_TABLE } from '../../../src/admin/index.ts';
