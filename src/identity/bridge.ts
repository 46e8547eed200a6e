import { performPostgres, performSqlite, type PostgresContext, type SqliteContext } from '../store/index.ts';
import type { ChangedLink, Charted, HeldUser, LinkAct, LinkHead, SourceUser, WantedLink } from './commands.ts';
import {
  changeLink,
  confirmedLink,
  forgetUser,
  holdUser,
  markUser,
  replacedPatients,
  revokedPatients,
  revokeLink,
} from './commands/links.ts';

/** For commands that are still written for one engine. */
export const changeLinkSqlite = (context: SqliteContext, act: LinkAct, user: HeldUser, wanted: WantedLink): ChangedLink =>
  performSqlite(context, changeLink(context, act, user, wanted));
export const changeLinkPostgres = (
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  wanted: WantedLink,
): Promise<ChangedLink> => performPostgres(context, changeLink(context, act, user, wanted));
export const confirmedLinkSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): LinkHead | null =>
  performSqlite(context, confirmedLink(tenant, index));
export const confirmedLinkPostgres = (context: PostgresContext, tenant: string, index: Uint8Array): Promise<LinkHead | null> =>
  performPostgres(context, confirmedLink(tenant, index));
export const forgetUserSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): void =>
  performSqlite(context, forgetUser(tenant, index));
export const forgetUserPostgres = (context: PostgresContext, tenant: string, index: Uint8Array): Promise<void> =>
  performPostgres(context, forgetUser(tenant, index));
export const holdUserSqlite = (context: SqliteContext, tenant: string, user: SourceUser, at: Date): HeldUser =>
  performSqlite(context, holdUser(context, tenant, user, at));
export const holdUserPostgres = (context: PostgresContext, tenant: string, user: SourceUser, at: Date): Promise<HeldUser> =>
  performPostgres(context, holdUser(context, tenant, user, at));
export const markUserSqlite = (context: SqliteContext, tenant: string, index: Uint8Array, unsettledAt: Date | null): void =>
  performSqlite(context, markUser(tenant, index, unsettledAt));
export const markUserPostgres = (
  context: PostgresContext,
  tenant: string,
  index: Uint8Array,
  unsettledAt: Date | null,
): Promise<void> => performPostgres(context, markUser(tenant, index, unsettledAt));
export const replacedPatientsSqlite = (context: SqliteContext, link: LinkHead): Uint8Array[] =>
  performSqlite(context, replacedPatients(link));
export const replacedPatientsPostgres = (context: PostgresContext, link: LinkHead): Promise<Uint8Array[]> =>
  performPostgres(context, replacedPatients(link));
export const revokedPatientsSqlite = (context: SqliteContext, tenant: string, index: Uint8Array): Uint8Array[] =>
  performSqlite(context, revokedPatients(tenant, index));
export const revokedPatientsPostgres = (context: PostgresContext, tenant: string, index: Uint8Array): Promise<Uint8Array[]> =>
  performPostgres(context, revokedPatients(tenant, index));
export const revokeLinkSqlite = (
  context: SqliteContext,
  act: LinkAct,
  user: HeldUser,
  why: string,
  charted: Charted,
): ChangedLink | null => performSqlite(context, revokeLink(context, act, user, why, charted));
export const revokeLinkPostgres = (
  context: PostgresContext,
  act: LinkAct,
  user: HeldUser,
  why: string,
  charted: Charted,
): Promise<ChangedLink | null> => performPostgres(context, revokeLink(context, act, user, why, charted));
