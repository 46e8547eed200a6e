import type { Document } from '../payloads/index.ts';
import { referenceTo, SYSTEMS } from './name.ts';
import { metaOf, nameIn, SERVICE, type Scene } from './scene.ts';
import type { DeliveryFacts, Wanted } from './translation.ts';

const PARTICIPANT = 'http://terminology.hl7.org/CodeSystem/provenance-participant-type';
const TRANSMITTER = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-provenance-participant-type';

/** The providers that the document says its data came from, each once. */
export function sourcesOf(document: Document): string[] {
  if (document.kind === 'steps_event') return [...new Set(document.events.flatMap(({ sources }) => sources))].sort();
  return 'sources' in document ? [...new Set(document.sources)].sort() : [];
}

/** Who made what is written, who brought it, and from which delivery. R4 gives a Provenance no identifier. */
export function buildProvenance(
  scene: Scene,
  delivery: DeliveryFacts,
  sources: readonly string[],
  targets: readonly Wanted[],
): Wanted {
  const name = nameIn(scene, 'provenance', delivery.id);
  const agent = (system: string, code: string, who: Readonly<Record<string, unknown>>) => ({
    type: { coding: [{ system, code }] },
    who,
  });
  return {
    name,
    reference: referenceTo(name),
    resource: {
      resourceType: 'Provenance',
      meta: metaOf(scene),
      target: targets.map(({ reference }) => ({ reference })),
      recorded: delivery.receivedAt.toISOString(),
      agent: [
        agent(PARTICIPANT, 'author', scene.subject),
        agent(PARTICIPANT, 'assembler', { display: SERVICE }),
        agent(TRANSMITTER, 'transmitter', { display: 'Chartgate' }),
      ],
      entity: [
        { role: 'source', what: { identifier: { system: SYSTEMS.delivery, value: delivery.id } } },
        ...sources.map((display) => ({ role: 'source', what: { display } })),
        // Of several devices no Observation can say which it was: here all of them stand.
        ...targets
          .filter(({ resource }) => resource.resourceType === 'Device')
          .map(({ reference }) => ({ role: 'source', what: { reference } })),
      ],
    },
    group: 'support',
    chartDay: null,
    write: 'always',
  };
}
