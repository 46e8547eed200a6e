const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
export const TOPIC_EXTENSION = `${BACKPORT}/capabilitystatement-subscriptiontopic-canonical`;

export type PayloadContent = 'empty' | 'id-only' | 'full-resource';

/** A Subscription to what is written for one patient, sent to `endpoint` with `token`. */
export const buildSubscription = (asked: {
  readonly topic: string;
  readonly filter: string;
  readonly content: PayloadContent;
  readonly endpoint: string;
  readonly token: string;
  readonly end: Date;
  readonly heartbeatSeconds?: number;
}) => ({
  resourceType: 'Subscription',
  meta: { profile: [`${BACKPORT}/backport-subscription`] },
  status: 'requested',
  end: asked.end.toISOString(),
  reason: 'A test of conformance',
  criteria: asked.topic,
  _criteria: { extension: [{ url: `${BACKPORT}/backport-filter-criteria`, valueString: asked.filter }] },
  channel: {
    extension: [
      { url: `${BACKPORT}/backport-timeout`, valueUnsignedInt: 60 },
      ...(asked.heartbeatSeconds === undefined
        ? []
        : [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: asked.heartbeatSeconds }]),
    ],
    type: 'rest-hook',
    endpoint: asked.endpoint,
    payload: 'application/fhir+json',
    _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: asked.content }] },
    header: [`Authorization: Bearer ${asked.token}`],
  },
});

type Statement = {
  readonly rest?: readonly {
    readonly resource?: readonly {
      readonly type: string;
      readonly extension?: readonly { readonly url: string; readonly valueCanonical?: string }[];
    }[];
  }[];
};

/** The topics that a CapabilityStatement offers. */
export const topicsOf = ({ rest = [] }: Statement): string[] =>
  rest
    .flatMap(({ resource = [] }) => resource.filter(({ type }) => type === 'Subscription'))
    .flatMap(({ extension = [] }) => extension.filter(({ url }) => url === TOPIC_EXTENSION))
    .flatMap(({ valueCanonical }) => (valueCanonical === undefined ? [] : [valueCanonical]));
