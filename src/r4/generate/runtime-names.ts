import { PRIMITIVES } from '../runtime/primitives.ts';

/** Every function that generated code calls. `makeRuntime` must answer exactly these; a test compares. */
export const RUNTIME_NAMES: readonly string[] = [
  ...Object.keys(PRIMITIVES).map((name) => `is_${name}`),
  ...'isArray isElement isLasting isMime isUcumConcept hasCoding hasCodeableConcept'.split(' '),
  ...'flag enter isList sayValue sayUnknown sayBinding sayInvariant sayResourceType'.split(' '),
  ...'checkReference checkContained checkNarrative checkBundle checkPeriod checkAttachment checkUnit checkCoding checkCodingSystem checkExtensionUrl checkElementId'.split(
    ' ',
  ),
  ...'checkIdentifier checkOnBehalfOf checkQuestionnaire checkProfiles openScope'.split(' '),
  ...'kid kids kidsBelow has isOne isNone children descendants isTrue isFalse threeWay equals differs atMost atLeast below above union'.split(
    ' ',
  ),
  ...'combine intersect join plus isIn isDistinct hasValue toInteger asText length startsWith contains matches'.split(
    ' ',
  ),
  ...'subsetOf substring replaceMatches isType asType ofTypeType'.split(' '),
];
