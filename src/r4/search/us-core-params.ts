import { readParam, type SearchParam } from './search-params.ts';

/**
 * Search parameters of US Core that R4 does not have, as far as an element says what they look at. An extension is
 * looked at whatever its name is, so that none that may be meant is missed.
 */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CareTeam: { role: 'token participant.role' },
  Condition: { 'asserted-date': 'date extension.valueDateTime' },
  Encounter: { 'discharge-disposition': 'token hospitalization.dischargeDisposition' },
  Goal: { description: 'token description' },
};

export function usCoreParam(type: string, name: string): SearchParam | undefined {
  const row = Object.hasOwn(ROWS, type) ? ROWS[type] : undefined;
  const text = row !== undefined && Object.hasOwn(row, name) ? row[name] : undefined;
  return text === undefined ? undefined : readParam(text);
}
