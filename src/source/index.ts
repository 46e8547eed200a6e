export type { LabUpload } from './multipart.ts';
export { openSource, type BindingRequest, type Source, type SourceSettings } from './open-source.ts';
export type { Authorizer, Binding, LabReceipt, MonitoringRule, ProfileReceipt } from './read-answers.ts';
