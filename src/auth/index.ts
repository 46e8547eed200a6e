export { authSet, type AuthReads, type AuthWrites } from './commands.ts';
export type { ShownAccount } from './account.ts';
export { CLIENT_KINDS, type ClientKind, type ShownClient } from './client.ts';
export type { OauthUris } from './discovery.ts';
export type { Grant, VerifyToken } from './grant.ts';
export { makeAuth, type Auth } from './make-auth.ts';
export type { PatientDirectory, ShownEncounter, ShownPatient } from './patients.ts';
export type { MadeLaunch, Registry } from './registry.ts';
export { parseResourceScope, splitScopes, type Letter, type ResourceScope } from './scope.ts';
