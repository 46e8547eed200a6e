import { isObject } from '../../kernel/index.ts';
import { flag, type Context, type Json } from './context.ts';
import { show } from './say.ts';

/** An item in the order of the text: what lies inside it has the numbers from its own to `last`. */
interface Place {
  readonly item: Json;
  readonly path: string;
  readonly number: number;
  last: number;
}

/** What one walk over all items finds: the number of each linkId, and the items that have enableWhen. */
interface Outline {
  readonly numberOf: Map<unknown, number>;
  readonly asking: Place[];
  count: number;
}

const DEPTH_MAX = 200;

function outline(items: unknown, path: string, depth: number, into: Outline, isPathWanted: boolean): void {
  if (!Array.isArray(items) || depth > DEPTH_MAX) return;
  for (let i = 0; i < items.length; i++) {
    const item: unknown = items[i];
    if (!isObject(item)) continue;
    const place: Place = { item, path: isPathWanted ? `${path}.item[${i}]` : '', number: ++into.count, last: 0 };
    const linkId = item['linkId'];
    if (typeof linkId === 'string' && !into.numberOf.has(linkId)) into.numberOf.set(linkId, place.number);
    if (item['enableWhen'] !== undefined) into.asking.push(place);
    outline(item['item'], place.path, depth + 1, into, isPathWanted);
    place.last = into.count;
  }
}

const faultOf = (question: string, { number, last }: Place, { numberOf }: Outline): string | null => {
  const target = numberOf.get(question);
  if (target === undefined) return `No item has the linkId ${show(question)}.`;
  if (target === number) return `The item ${show(question)} asks for its own answer.`;
  return target > number && target <= last ? `The item ${show(question)} lies inside the one that asks for it.` : null;
};

/** Every enableWhen asks another item, and not one that it hides itself. Which of the two comes first is free. */
export function checkQuestionnaire(questionnaire: Json, c: Context, path: string): boolean {
  const all: Outline = { numberOf: new Map(), asking: [], count: 0 };
  outline(questionnaire['item'], path, 0, all, c.issues !== null);
  let isSound = true;
  for (const place of all.asking) {
    const conditions = place.item['enableWhen'];
    for (let i = 0; Array.isArray(conditions) && i < conditions.length; i++) {
      const condition: unknown = conditions[i];
      const question = isObject(condition) ? condition['question'] : undefined;
      const fault = typeof question === 'string' ? faultOf(question, place, all) : null;
      if (fault !== null) isSound = flag(c, 'enable-when', `${place.path}.enableWhen[${i}].question`, fault);
    }
  }
  return isSound;
}
