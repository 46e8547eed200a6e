import type { Document } from '../payloads/index.ts';
import { referenceTo, SYSTEMS } from './name.ts';
import { metaOf, nameIn, SERVICE, type Scene } from './scene.ts';
import type { DeliveryFacts, Wanted } from './translation.ts';

const PARTICIPANT = 'http://terminology.hl7.org/CodeSystem/provenance-participant-type';
const TRANSMITTER = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-provenance-participant-type';

/** The providers that the document says its data came from, each once. */
function sourcesOf(document: Document): string[] {
  if (document.kind === 'steps_event') return [...new Set(document.events.flatMap(({ sources }) => sources))].sort();
  return 'sources' in document ? [...new Set(document.sources)].sort() : [];
}

type Who = Readonly<Record<string, unknown>>;
const agent = (system: string, code: string, who: Who, text?: string) => ({
  type: { coding: [{ system, code }], ...(text === undefined ? {} : { text }) },
  who,
});

const referencesTo = (targets: readonly Wanted[], type: string): { readonly reference: string }[] =>
  targets.filter(({ resource }) => resource.resourceType === type).map(({ reference }) => ({ reference }));

/**
 * What a person brought is the patient's word. What stands in a laboratory document is the laboratory's, where it is
 * named; the patient brought it, and software read it.
 */
function makersOf({ subject }: Scene, { kind }: Document, targets: readonly Wanted[]) {
  if (kind !== 'lab_result')
    return [agent(PARTICIPANT, 'author', subject), agent(PARTICIPANT, 'assembler', { display: SERVICE })];
  return [
    ...referencesTo(targets, 'Organization').map((who) => agent(PARTICIPANT, 'author', who)),
    agent(PARTICIPANT, 'informant', subject),
    agent(PARTICIPANT, 'assembler', { display: SERVICE }, 'Software that read the document'),
  ];
}

/** Who made what is written, who brought it, and from which delivery. R4 gives a Provenance no identifier. */
export function buildProvenance(
  scene: Scene,
  delivery: DeliveryFacts,
  document: Document,
  targets: readonly Wanted[],
): Wanted {
  const { text: name, shelf } = nameIn(scene, 'provenance', delivery.id);
  const documentId = document.kind === 'lab_result' ? document.documentId : null;
  const from = (what: Who) => ({ role: 'source', what });
  return {
    name,
    shelf,
    reference: referenceTo(name),
    resource: {
      resourceType: 'Provenance',
      meta: metaOf(scene),
      target: targets.map(({ reference }) => ({ reference })),
      recorded: delivery.receivedAt.toISOString(),
      agent: [...makersOf(scene, document, targets), agent(TRANSMITTER, 'transmitter', { display: 'Chartgate' })],
      entity: [
        from({ identifier: { system: SYSTEMS.delivery, value: delivery.id } }),
        ...(documentId === null ? [] : [from({ identifier: { system: SYSTEMS.labDocument, value: documentId } })]),
        // The original, where it is there.
        ...referencesTo(targets, 'DocumentReference').map(from),
        ...sourcesOf(document).map((display) => from({ display })),
        // Of several devices no Observation can say which it was: here all of them stand.
        ...referencesTo(targets, 'Device').map(from),
      ],
    },
    group: 'support',
    chartDay: null,
    write: 'always',
  };
}
