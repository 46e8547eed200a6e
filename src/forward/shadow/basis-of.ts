import { hash } from 'node:crypto';
import type { WritePlan } from '../../ehr/index.ts';
import type { TranslationContext } from '../../judge/index.ts';

/**
 * A digest of everything beside the delivery, its link and the ledger that decides what would be written. Where it has
 * changed, what was found out before no longer holds.
 */
export function basisOf(
  translationContext: TranslationContext,
  plan: WritePlan,
  patientMode: 'lookup' | 'create',
): Uint8Array {
  const { mappings, dialect, ...setting } = translationContext.setting;
  const templates = [...translationContext.templates.values()].map(({ version }) => version).sort();
  const parts = [mappings.version, dialect.name, templates, setting, translationContext.payloads, plan, patientMode];
  return new Uint8Array(hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16));
}
