import { aClinicalReady, partAt, rawNumber, withAt, type Json } from '../../../support/payloads/index.ts';
import { METRICS, VALUES, type Change, type Content } from './program.ts';

const DAY = '2026-11-14';

/** A clinical_ready of one day that says this and nothing else. */
export const payloadOf = (user: string, version: number, content: Content): Json => {
  const values = Object.fromEntries(Object.entries(content).map(([metric, digits]) => [metric, rawNumber(digits)]));
  const whole = aClinicalReady({
    userId: user,
    day: DAY,
    bundleId: `bundle-${user}`,
    documentVersion: version,
    observations: 4,
    values,
  });
  const path = 'clinical_ready.clinical_ready_data.entry';
  const isSaid = (entry: Json): boolean => {
    const code = partAt(entry, 'resource.code.coding.0.code');
    return typeof code !== 'string' || Object.hasOwn(content, code);
  };
  return withAt(whole, path, (partAt(whole, path) as Json[]).filter(isSaid));
};

const FIRST: Content = Object.fromEntries(METRICS.map((metric) => [metric, VALUES[metric][0] ?? '']));

/** What a version says that comes after these. The last of a document is never taken away. */
export function changeContent(before: readonly Content[], changes: readonly Change[]): Content {
  let content = before.at(-1) ?? FIRST;
  for (const change of changes)
    switch (change.kind) {
      case 'value':
        content = {
          ...content,
          [change.metric]: VALUES[change.metric][change.pick % VALUES[change.metric].length] ?? '',
        };
        break;
      case 'drop': {
        const { [change.metric]: _dropped, ...rest } = content;
        if (Object.keys(rest).length > 0) content = rest;
        break;
      }
      case 'drop-most':
        content = { [change.metric]: content[change.metric] ?? VALUES[change.metric][0] ?? '' };
        break;
      case 'back':
        content = before.at(-2) ?? content;
        break;
      case 'same':
        break;
    }
  return content;
}
