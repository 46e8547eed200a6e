import { fail, fault, fileBeside, ok, type Fault, type Result } from '../kernel/index.ts';
import { parseLossless } from '../r4/index.ts';
import { makeLimitedThread, type ThreadLimits } from './limited-thread.ts';
import type { Mapping, OutputLimits, Question } from './map-payload.ts';
import { placeOf } from './place-of.ts';
import type { Resource, Template } from './template.ts';

export interface TemplateLimits extends ThreadLimits, OutputLimits {}

/**
 * `bytesMax` holds for the payload and for what is made of it. A report of 150 results takes a tenth of a second on an
 * idle core; the rest of `timeMs` is for a machine with other work, since what is stopped waits for a person.
 */
export const TEMPLATE_LIMITS: TemplateLimits = {
  timeMs: 5_000,
  memoryMb: 256,
  resourcesMax: 1_000,
  bytesMax: 5_000_000,
};

export interface Mapped {
  /** Names the document among all of its user's. */
  readonly key: string;
  readonly resources: readonly Resource[];
}

/**
 * What a template makes of a payload, as `parseLossless` read it. Faults are `template.timeout`, `template.failed`
 * (also for too much memory) and `template.output`; `at` names the file and the place in it, never a value.
 */
export type RunTemplate = (template: Template, payload: unknown) => Promise<Result<Mapped>>;

/** JSONata's code, for the log: its message may quote data. */
const caused = (code: string): Error => Object.assign(new Error('a template failed'), { code });

function faultOf(template: Template, mapping: Exclude<Mapping, { kind: 'mapped' }>): Fault {
  const place = `${template.row}#${mapping.part}`;
  if (mapping.kind === 'output') return fault('template.output', { at: `${place}${mapping.at ?? ''}` });
  return fault('template.failed', {
    at: `${place}, ${placeOf(template[mapping.part], mapping.position)}`,
    cause: caused(mapping.code),
  });
}

/** The thread is started with the first run and never keeps a process alive. */
export function makeRunTemplate(limits: Partial<TemplateLimits> = {}): RunTemplate {
  const { timeMs, memoryMb, resourcesMax, bytesMax } = { ...TEMPLATE_LIMITS, ...limits };
  const ask = makeLimitedThread<Question, Mapping>(fileBeside(import.meta.url, './template-thread'), {
    timeMs,
    memoryMb,
  });
  return async (template, payload) => {
    const { key, resources } = template;
    const mapping = await ask({
      template: { key, resources },
      payload: JSON.stringify(payload),
      limits: { resourcesMax, bytesMax },
    });
    if (mapping === 'time') return fail(fault('template.timeout', { at: template.row }));
    if (mapping === 'memory')
      return fail(fault('template.failed', { at: template.row, cause: caused('ERR_WORKER_OUT_OF_MEMORY') }));
    if (mapping.kind !== 'mapped') return fail(faultOf(template, mapping));
    const parsed = parseLossless(mapping.resources);
    if (!parsed.ok) return fail(fault('template.output', { at: `${template.row}#resources` }));
    return ok({ key: mapping.key, resources: parsed.value as readonly Resource[] });
  };
}
