declare module '*.css';

/** Made by console/build.ts. */
declare module 'chartgate-routes' {
  import type { RouteTable } from '../../src/admin/index.ts';
  export const ROUTE_TABLE: RouteTable;
}
