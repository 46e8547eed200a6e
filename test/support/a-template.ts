import { parseLossless } from '../../src/r4/index.ts';
import type { Template } from '../../src/templates/index.ts';

export function aTemplate(overrides: Partial<Template> = {}): Template {
  return {
    row: 'custom/x.json',
    dataStructure: 'x_event',
    description: 'x',
    source: 'x',
    reviewer: 'x',
    key: "'k'",
    resources: "[{ 'resourceType': 'Basic' }]",
    version: 'x',
    ...overrides,
  };
}

/** One resource that holds what `expression` makes, under `v`. */
export const giving = (expression: string): Template =>
  aTemplate({ resources: `{'resourceType': 'Basic', 'v': [${expression}]}` });

export function lossless(text: string): unknown {
  const parsed = parseLossless(text);
  if (!parsed.ok) throw new Error(parsed.fault.text);
  return parsed.value;
}
