import { ConfigError, type Config, type Problem } from '../config/index.ts';
import { openEhr } from '../ehr/index.ts';
import { makeServer } from '../http/index.ts';
import { makeBudget, makeNewId, makePooledChance, StartError, systemClock } from '../kernel/index.ts';
import { MappingsError } from '../mappings/index.ts';
import { loadServed } from '../smart/index.ts';
import { openSource } from '../source/index.ts';
import { openTranslationContext } from '../gateway/index.ts';

const problemsOf = (thrown: StartError): Problem[] =>
  thrown instanceof MappingsError
    ? thrown.problems.map(({ row, text }) => ({ key: row, text }))
    : [{ key: thrown.code, text: thrown.message }];

/**
 * What `serve` loads and makes before it asks anybody: each part as the start does it. Throws a ConfigError with all
 * that is wrong.
 */
export async function checkParts(config: Config): Promise<void> {
  const chance = makePooledChance();
  const common = { clock: systemClock, chance };
  const budget = makeBudget(config.memory.roomBytes);
  const newId = makeNewId({ now: () => systemClock.now().getTime(), chance });
  const { clientUuid } = config.ingest;
  const parts: readonly (() => unknown)[] = [
    () => openTranslationContext(config),
    () => openEhr({ ...common, target: config.ehr, newId }).close(),
    () => openSource({ ...common, budget, settings: { ...config.source, clientUuid }, agent: 'chartgate' }).close(),
    () => loadServed(config.read.types),
    () => makeServer(() => undefined, config.http.tls),
  ];
  const problems: Problem[] = [];
  for (const load of parts)
    try {
      await load();
    } catch (thrown) {
      if (!(thrown instanceof StartError)) throw thrown;
      problems.push(...problemsOf(thrown));
    }
  if (problems.length > 0) throw new ConfigError(problems);
}
