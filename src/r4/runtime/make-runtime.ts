import type { Definitions } from '../definitions/load-definitions.ts';
import { checkBundle, openScope } from './bundle-rules.ts';
import { makeCollections } from './collections.ts';
import { checkContained } from './contained.ts';
import type { Context, Json } from './context.ts';
import { checkNarrative } from './narrative.ts';
import { checkQuestionnaire } from './questionnaire.ts';
import { PRIMITIVES } from './primitives.ts';
import { checkOnBehalfOf, checkReference } from './references.ts';
import { isElement } from './is-element.ts';
import { isLasting } from './lasting-elements.ts';
import { makeSay } from './say.ts';
import {
  checkAttachment,
  checkCoding,
  checkCodingSystem,
  checkExtensionUrl,
  checkElementId,
  checkIdentifier,
  checkPeriod,
  checkUnit,
  hasCodeableConcept,
  hasCoding,
  isMime,
  isUcumConcept,
} from './small-rules.ts';

function checkProfiles(resource: Json, c: Context, path: string): boolean {
  let isSound = true;
  for (const rule of c.profileRules) {
    if (!rule(resource, c, path)) isSound = false;
  }
  return isSound;
}

/** Everything that generated code calls, under the names it uses. */
export function makeRuntime(definitions: Definitions): Readonly<Record<string, unknown>> {
  const types = definitions.resourceTypes;
  return {
    ...Object.fromEntries(Object.entries(PRIMITIVES).map(([name, check]) => [`is_${name}`, check])),
    ...makeCollections(definitions.choices),
    ...makeSay(definitions.invariants, definitions.valueSets),
    isArray: Array.isArray,
    isElement,
    isLasting,
    isMime,
    isUcumConcept,
    hasCoding,
    hasCodeableConcept,
    checkReference: (
      reference: unknown,
      claimed: unknown,
      targets: ReadonlySet<string> | null,
      c: Context,
      p: string,
    ) => checkReference(reference, claimed, targets, types, c, p),
    checkBundle: (o: Json, c: Context, p: string) => checkBundle(o, types, c, p),
    checkOnBehalfOf: (o: Json, c: Context, p: string) => checkOnBehalfOf(o, types, c, p),
    checkContained,
    checkQuestionnaire,
    checkNarrative,
    checkPeriod,
    checkAttachment,
    checkUnit,
    checkCoding,
    checkCodingSystem,
    checkExtensionUrl,
    checkElementId,
    checkIdentifier,
    checkProfiles,
    openScope,
  };
}
