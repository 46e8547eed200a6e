export { PERMISSIONS, PERMISSIONS_OF, permissionsOf, ROLES, type Permission, type Role } from './permissions.ts';
