export { buildDemoHistory, DEMO_DAYS, type DemoDocument, type DemoHistory, type DemoPerson } from './demo-documents.ts';
