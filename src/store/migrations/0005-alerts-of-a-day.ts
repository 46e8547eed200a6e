import type { Migration } from './migration.ts';

/* The alerts of a day in a chart, whichever document wrote them: a summary without alerts takes all of them back. */
const SQL = `CREATE INDEX written_alerts ON written_resource (tenant, target, patient_index, chart_day) WHERE summary_group = 'alerts';`;

export const alertsOfADay: Migration = { version: 5, name: 'alerts-of-a-day', sqlite: SQL, postgres: SQL };
