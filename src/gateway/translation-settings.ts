import type { Config } from '../config/index.ts';
import { loadSettingsGuides, makeTranslationContextHolder, type TranslationSettings } from '../judge/index.ts';
import { readSourceUris, SHIPPED_FOLDER } from '../mappings/index.ts';

export const translationSettings = (config: Config): TranslationSettings => {
  const { clientUuid, documentKey, labPath } = config.ingest;
  return {
    payloads: { clientUuid, documentKey, labPath },
    folder: config.mappings.folder ?? SHIPPED_FOLDER,
    snomed: config.mappings.snomed,
    uris: config.source.urisFile === null ? null : readSourceUris(config.source.urisFile),
    dialect: config.ehr.dialect,
    guides: config.mappings.guides,
    guideInvariants: config.mappings.guideInvariants,
    environment: config.environment,
    ...config.translate,
  };
};

/** What deliveries are read with, from the mapping data, templates and guides that the configuration names. */
export async function openTranslationContext(config: Config): Promise<ReturnType<typeof makeTranslationContextHolder>> {
  const settings = translationSettings(config);
  return makeTranslationContextHolder(settings, await loadSettingsGuides(settings));
}
