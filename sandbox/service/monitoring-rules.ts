import { isObject } from '../../src/kernel/index.ts';
import { isActive } from './add-ons.ts';
import { authenticateClient } from './authenticate.ts';
import type { Kit } from './kit.ts';
import { isUserId, readJson } from './read-request.ts';
import { isReply, json, oddParameter, refuse, type Asked, type Handle, type Reply } from './reply.ts';
import { keyOf, type Client, type SignalRule, type StoredRule } from './state.ts';

const BASELINE = ['deviation_below_percent_float', 'deviation_above_percent_float'] as const;
const RANGE = ['threshold_min_float', 'threshold_max_float'] as const;

/** Section 2.8: which bounds a signal has, and the defaults that hold where no rule is stored. */
export const SIGNALS: Readonly<Record<string, { readonly bounds: readonly string[]; readonly standard: SignalRule }>> =
  {
    resting_heart_rate: {
      bounds: BASELINE,
      standard: { deviation_below_percent_float: 15, deviation_above_percent_float: 10 },
    },
    hrv: { bounds: BASELINE, standard: { deviation_below_percent_float: 30, deviation_above_percent_float: null } },
    resting_breathing_rate: {
      bounds: BASELINE,
      standard: { deviation_below_percent_float: 15, deviation_above_percent_float: 10 },
    },
    oxygenation: { bounds: RANGE, standard: { threshold_min_float: 92, threshold_max_float: null } },
    sleep_duration: { bounds: RANGE, standard: { threshold_min_float: 21_600, threshold_max_float: 32_400 } },
  };

/** Null is the general rule of the client. */
export const ruleKey = (client: string, user: string | null): string => keyOf(client, ...(user === null ? [] : [user]));

/** Whose rule holds for a user and a signal: the user's, the client's, the service's. */
export function effectiveRule(
  kit: Kit,
  client: string,
  user: string,
  signal: string,
): { readonly rule: SignalRule; readonly isDefault: boolean } {
  const stored =
    kit.state.rules.get(ruleKey(client, user))?.signals[signal] ??
    kit.state.rules.get(ruleKey(client, null))?.signals[signal];
  return stored === undefined
    ? { rule: SIGNALS[signal]?.standard ?? {}, isDefault: true }
    : { rule: stored, isDefault: false };
}

/** What is wrong with the signals of a rule, or null. */
function findWrong(signals: unknown): string | null {
  if (!isObject(signals)) return 'signals must be an object';
  for (const [name, rule] of Object.entries(signals)) {
    const signal = Object.hasOwn(SIGNALS, name) ? SIGNALS[name] : undefined;
    if (signal === undefined) return 'unknown signal';
    if (!isObject(rule)) return `${name} must be an object`;
    const [low, high] = signal.bounds;
    if (Object.keys(rule).some((key) => !signal.bounds.includes(key)))
      return `${name} takes ${signal.bounds.join(' and ')}`;
    const values = Object.values(rule);
    if (values.length === 0 || values.every((one) => one === null)) return `${name} has no bound`;
    if (!values.every((one) => one === null || (typeof one === 'number' && Number.isFinite(one) && one >= 0)))
      return `${name} must have numbers of 0 or more, or null`;
    const [min, max] = [rule[low ?? ''], rule[high ?? '']];
    if (low === 'threshold_min_float' && typeof min === 'number' && typeof max === 'number' && min > max)
      return `${name} has its bounds the wrong way round`;
  }
  return null;
}

/** Who asks, and about whom. */
function open(kit: Kit, asked: Asked): { readonly client: Client; readonly user: string | null } | Reply {
  const client = authenticateClient(kit.state, asked, 'password');
  if (isReply(client)) return client;
  if (!isActive(client, 'health_monitoring')) return refuse(asked, 403, 'feature_not_included');
  if (oddParameter(asked.url, ['user_id']) !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
  const user = asked.url.searchParams.get('user_id');
  if (user !== null && !isUserId(user)) return refuse(asked, 400, 'user_id must have 1 to 50 characters');
  return { client, user };
}

const shown = (user: string | null, rule: StoredRule): Reply =>
  json(200, { user_id: user, signals: rule.signals, updated_at: new Date(rule.updatedAt).toISOString() });

/** 4.6: what is stored, never what holds. */
export const makeReadRules =
  (kit: Kit): Handle =>
  (asked) => {
    const opened = open(kit, asked);
    if (isReply(opened)) return opened;
    const rule = kit.state.rules.get(ruleKey(opened.client.uuid, opened.user));
    return rule === undefined ? refuse(asked, 404, 'no rule is stored') : shown(opened.user, rule);
  };

/** 4.6: replaces the rule of its scope as a whole. */
export const makeReplaceRules =
  (kit: Kit): Handle =>
  async (asked) => {
    const opened = open(kit, asked);
    if (isReply(opened)) return opened;
    const parsed = await readJson(asked);
    if (isReply(parsed)) return parsed;
    if (!isObject(parsed.value)) return refuse(asked, 422, 'request body must be a JSON object');
    const { signals, ...others } = parsed.value;
    if (Object.keys(others).length > 0) return refuse(asked, 400, 'unknown field in the request body');
    const wrong = findWrong(signals);
    if (wrong !== null) return refuse(asked, 422, wrong);
    const { client, user } = opened;
    const rule: StoredRule = { signals: signals as StoredRule['signals'], updatedAt: kit.clock.now().getTime() };
    kit.state.rules.put(ruleKey(client.uuid, user), rule);
    kit.tell({ kind: 'rule-changed', client: client.uuid, user });
    return shown(user, rule);
  };
