export type { Gateway } from './gateway.ts';
export { startGateway, TENANT, VERSION } from './start.ts';
export { openTranslationContext, translationSettings } from './translation-settings.ts';
export { openTelemetry } from './telemetry.ts';
