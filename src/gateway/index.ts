export { startGateway, TENANT, VERSION, type Gateway } from './start.ts';
export { openTranslationContext, translationSettings } from './translation-settings.ts';
export { openTelemetry } from './telemetry.ts';
