export { readingSettings, startGateway, TENANT, VERSION, type Gateway } from './start.ts';
