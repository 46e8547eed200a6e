export { translationSettings, startGateway, TENANT, VERSION, type Gateway } from './start.ts';
