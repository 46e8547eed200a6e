import type { Migration } from './migration.ts';

/*
 * Deliveries are found by what an operator knows of them. `delivery.fault_code` is the fault of the last change, which
 * stood in the steps alone.
 */
const step = (text: string): string => `
ALTER TABLE delivery ADD COLUMN fault_code ${text};
UPDATE delivery SET fault_code = (
  SELECT s.fault_code FROM delivery_step s WHERE s.seq = delivery.seq ORDER BY s.n DESC LIMIT 1)
WHERE seq IN (SELECT seq FROM delivery_step WHERE fault_code IS NOT NULL);
`;

export const whatOperatorsSee: Migration = {
  version: 10,
  name: 'what-operators-see',
  sqlite: step('TEXT'),
  postgres: step('text'),
};
