/**
 * Templates: JSONata that maps a `data_structure` which the gateway does not know to FHIR, without code. Some come with
 * the gateway, and a site has its own. Pure: the same payload gives the same bytes. Run in a thread with limits of time
 * and memory.
 */
export type { Resource, Template, Templates } from './template.ts';
export { loadTemplates } from './load-templates.ts';
export {
  makeRunTemplate,
  TEMPLATE_LIMITS,
  type Mapped,
  type RunTemplate,
  type TemplateLimits,
} from './run-template.ts';
