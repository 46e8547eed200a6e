import type { EventKind } from '../events/index.ts';

/** What an app can subscribe to. The canonical is the same at every gateway. */
export interface Topic {
  readonly kind: EventKind;
  readonly canonical: string;
  readonly title: string;
  /** Types of what its events are about, of which the app must be able to read one. */
  readonly type: 'Observation' | 'DiagnosticReport' | 'Patient';
  /** By what its events can be filtered. */
  readonly filters: readonly ('patient' | 'code' | 'category')[];
  readonly description: string;
}

const BASE = 'https://chartgate.dev/fhir/SubscriptionTopic';
const OURS = 'Covers what the gateway did, not what others edit in the EHR.';

export const TOPICS: readonly Topic[] = [
  {
    kind: 'measurement',
    canonical: `${BASE}/measurement`,
    title: 'A measurement was written, amended or withdrawn',
    type: 'Observation',
    filters: ['patient', 'code', 'category'],
    description: `An Observation of a wearable or a laboratory was written to a chart, amended there, or withdrawn. ${OURS}`,
  },
  {
    kind: 'laboratory-report',
    canonical: `${BASE}/laboratory-report`,
    title: 'A laboratory report was written, amended or withdrawn',
    type: 'DiagnosticReport',
    filters: ['patient', 'code', 'category'],
    description: `A DiagnosticReport was written to a chart, amended there, or withdrawn. ${OURS}`,
  },
  {
    kind: 'alert',
    canonical: `${BASE}/alert`,
    title: 'An alert was written, amended or withdrawn',
    type: 'Observation',
    filters: ['patient', 'code', 'category'],
    description: `An Observation by which health monitoring raises or clears an alert was written to a chart, amended there, or withdrawn. ${OURS}`,
  },
  {
    kind: 'patient-connection',
    canonical: `${BASE}/patient-connection`,
    title: 'A patient was connected or disconnected',
    type: 'Patient',
    filters: ['patient'],
    description:
      'A patient has a confirmed link to a user of the source from now on, or none any more. A disconnection names nobody: the app may not be told of that patient any longer. Covers links of the gateway alone.',
  },
];

/** A version behind the canonical is not taken: there is one. */
export const topicOf = (canonical: string): Topic | null => TOPICS.find((one) => one.canonical === canonical) ?? null;
export const topicOfKind = (kind: EventKind): Topic => {
  const found = TOPICS.find((one) => one.kind === kind);
  if (found === undefined) throw new Error('every kind of event has its topic');
  return found;
};
