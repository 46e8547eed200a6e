import { loadSettingsGuides, type makeTranslationContextHolder, type Reloaded } from '../judge/index.ts';
import { fail, ok, StartError, type Log, type Result } from '../kernel/index.ts';
import type { Notes } from './history.ts';

/** Loads mapping data and templates anew, and notes in the history what came of it. */
export function makeMappingLoads(deps: {
  readonly translationContext: ReturnType<typeof makeTranslationContextHolder>;
  readonly notes: Notes;
  readonly log: Log;
  /** Told that what was left out may have a mapping now. */
  readonly onLoaded: () => void;
}) {
  const { translationContext, notes, log } = deps;
  async function loadAnew(): Promise<Result<Reloaded, string>> {
    try {
      return translationContext.reload(await loadSettingsGuides(translationContext.current().settings));
    } catch (thrown) {
      if (thrown instanceof StartError) return fail(thrown.message);
      throw thrown;
    }
  }

  function logGuides(): void {
    const { data, translationContext: now } = translationContext.current();
    for (const { content } of data.guides)
      log.info('guides.loaded', { setting: `${content.name}#${content.version}`, count: content.structures.length });
    const unchecked = now.profiles?.notChecked.length ?? 0;
    if (unchecked > 0) log.warn('guides.not-checked', { count: unchecked });
  }

  return {
    /** What was in force when the process began. */
    noteStart(): void {
      const first = translationContext.current();
      const templates = first.translationContext.templates.size;
      void notes.loaded(ok({ version: translationContext.version(), changed: 'same', templates }), first, 'gateway');
      logGuides();
    },
    /** Who asks for the history afterwards finds it there. */
    async reload(by: string): Promise<Result<Reloaded, string>> {
      const done = await loadAnew();
      const noted = notes.loaded(done, translationContext.current(), by);
      if (done.ok) {
        log.info('mappings.loaded', { version: done.value.version, count: done.value.templates });
        logGuides();
        deps.onLoaded();
      } else log.error('mappings.refused', { count: done.fault.split('\n').length - 1 });
      await noted;
      return done;
    },
  };
}
