import { z } from 'zod';
import { askJson } from './ask-json.ts';
import type { TestResult } from './test-result.ts';

/** A test that waits until something happens outside of Inferno, such as a person who signs in. */
export type Waiting = {
  readonly resultId: string;
  readonly testId: string;
  readonly message: string;
  /** The addresses that the message tells a person to open. */
  readonly links: readonly string[];
  /** How many requests came in since it waits. */
  readonly received: number;
};

export interface Inferno {
  readonly url: string;
  /** Null where no Inferno answers. */
  version(): Promise<string | null>;
  /** The ids of a suite's groups, each with its number of tests; null where this Inferno lacks the suite. */
  groups(suite: string): Promise<ReadonlyMap<string, number> | null>;
  newSession(suite: string, options: Readonly<Record<string, string>>): Promise<string>;
  startRun(session: string, group: string, inputs: Readonly<Record<string, string>>): Promise<string>;
  status(run: string): Promise<string>;
  /** How many tests are done: costs Inferno more than the status. */
  countDone(run: string): Promise<number>;
  waiting(run: string): Promise<Waiting | null>;
  results(run: string): Promise<TestResult[]>;
  cancel(run: string): Promise<void>;
  /** An address of the suite's own: redirect, launch, key set, listener. */
  address(suite: string, tail: string): string;
}

type Group = {
  readonly id: string;
  readonly tests?: readonly unknown[] | undefined;
  readonly test_groups?: readonly Group[] | undefined;
};
const Group: z.ZodType<Group> = z.object({
  id: z.string(),
  tests: z.array(z.unknown()).optional(),
  get test_groups() {
    return z.array(Group).optional();
  },
});
const Result = z.object({
  id: z.string(),
  test_id: z.string().nullish(),
  result: z.enum(['pass', 'fail', 'error', 'skip', 'omit', 'cancel', 'wait', 'running']),
  result_message: z.string().nullish(),
  optional: z.boolean().nullish(),
  messages: z.array(z.object({ type: z.string(), message: z.string() })).nullish(),
  requests: z.array(z.object({ direction: z.string() })).nullish(),
});
type Result = z.infer<typeof Result>;
const Named = z.object({ id: z.string() });

const countTests = ({ tests = [], test_groups: groups = [] }: Group): number =>
  tests.length + groups.reduce((sum, group) => sum + countTests(group), 0);

const linksIn = (message: string): string[] =>
  [...message.matchAll(/\]\((https?:\/\/[^)\s]+)\)/g)].map(([, link = '']) => link);

/** A few of the single complaints behind a sentence such as "some resources are invalid". */
const COMPLAINTS_MAX = 2;

function messageOf({ result_message: sentence, messages }: Result): string {
  const complaints = (messages ?? []).filter(({ type }) => type === 'error').map(({ message }) => message);
  return [sentence ?? '', ...complaints.slice(0, COMPLAINTS_MAX)].filter((words) => words !== '').join(' · ');
}

export function openInferno(url: string): Inferno {
  const api = (method: string, path: string, body?: unknown): Promise<unknown> =>
    askJson(method, `${url}/api/${path}`, body === undefined ? {} : { body });
  const resultsOf = async (run: string): Promise<(Result & { test_id: string })[]> =>
    z
      .array(Result)
      .parse(await api('GET', `test_runs/${run}/results`))
      .flatMap((one) => (typeof one.test_id === 'string' ? [{ ...one, test_id: one.test_id }] : []));
  return {
    url,
    async version() {
      try {
        return z.object({ version: z.string() }).parse(await api('GET', 'version')).version;
      } catch {
        return null;
      }
    },
    async groups(suite) {
      const suites = z.array(Named).parse(await api('GET', 'test_suites'));
      if (!suites.some(({ id }) => id === suite)) return null;
      const { test_groups: groups } = z
        .object({ test_groups: z.array(Group) })
        .parse(await api('GET', `test_suites/${suite}`));
      const every = (group: Group): Group[] => [group, ...(group.test_groups ?? []).flatMap(every)];
      return new Map(groups.flatMap(every).map((group) => [group.id, countTests(group)]));
    },
    async newSession(suite, options) {
      const choices = Object.entries(options).map(([id, value]) => ({ id, value }));
      return Named.parse(await api('POST', `test_sessions?test_suite_id=${suite}`, { suite_options: choices })).id;
    },
    async startRun(session, group, inputs) {
      // A suite has no dash in its id, and a group has one for each level.
      const runnable = group.includes('-') ? { test_group_id: group } : { test_suite_id: group };
      const given = Object.entries(inputs).map(([name, value]) => ({ name, value }));
      return Named.parse(await api('POST', 'test_runs', { test_session_id: session, ...runnable, inputs: given })).id;
    },
    status: async (run) => z.object({ status: z.string() }).parse(await api('GET', `test_runs/${run}`)).status,
    countDone: async (run) => (await resultsOf(run)).length,
    async waiting(run) {
      const found = (await resultsOf(run)).find(({ result, result_message: words }) => result === 'wait' && words);
      if (found === undefined) return null;
      const message = found.result_message ?? '';
      return {
        resultId: found.id,
        testId: found.test_id,
        message,
        links: linksIn(message),
        received: (found.requests ?? []).filter(({ direction }) => direction === 'incoming').length,
      };
    },
    async results(run) {
      return (await resultsOf(run)).map((one) => ({
        id: one.test_id,
        outcome: one.result,
        isOptional: one.optional === true,
        message: messageOf(one),
      }));
    },
    async cancel(run) {
      await api('DELETE', `test_runs/${run}`);
    },
    address: (suite, tail) => `${url}/custom/${suite}/${tail}`,
  };
}
