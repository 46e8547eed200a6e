export { startGateway, TENANT, VERSION, type Gateway } from './start.ts';
export { translationSettings } from './translation-settings.ts';
