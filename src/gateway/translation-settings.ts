import type { Config } from '../config/index.ts';
import type { TranslationSettings } from '../judge/index.ts';
import { readSourceUris, SHIPPED_FOLDER } from '../mappings/index.ts';

export const translationSettings = (config: Config): TranslationSettings => {
  const { clientUuid, documentKey, labPath } = config.ingest;
  return {
    payloads: { clientUuid, documentKey, labPath },
    folder: config.mappings.folder ?? SHIPPED_FOLDER,
    snomed: config.mappings.snomed,
    uris: config.source.urisFile === null ? null : readSourceUris(config.source.urisFile),
    dialect: config.ehr.dialect,
    environment: config.environment,
    ...config.translate,
  };
};
