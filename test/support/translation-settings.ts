import type { TranslationSettings } from '../../src/judge/index.ts';
import { SHIPPED_FOLDER } from '../../src/mappings/index.ts';
import { CLIENT } from './payloads/index.ts';

/** As configuration gives them where nothing is set. */
export const TRANSLATION_SETTINGS: TranslationSettings = {
  payloads: { clientUuid: CLIENT, documentKey: 'bundle-id', labPath: null },
  folder: SHIPPED_FOLDER,
  uris: null,
  dialect: 'default',
  guides: [],
  guideInvariants: 'compiled',
  snomed: 'off',
  environment: 'production',
  unmapped: 'park',
  labStatus: 'preliminary',
  sourceIdentifier: 'none',
  standardCodes: 'accept',
  timeAheadHours: 1,
  practitioner: null,
  incomingProfiles: 'off',
};
