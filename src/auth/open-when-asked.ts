import type { Mount } from '../kernel/index.ts';
import type { openEmbedded } from './embedded.ts';
import { loadKeys } from './keys.ts';

/**
 * The embedded server takes a third of what a start takes to load, and whoever sends webhooks does not need it: it is
 * loaded by the first who asks for it. Its keys are made or found at the start, as a store that cannot keep them is a
 * reason not to start.
 */
export function openWhenAsked(deps: Parameters<typeof openEmbedded>[0]): Mount & { start(): Promise<void> } {
  let opening: Promise<Mount> | null = null;
  const open = (): Promise<Mount> => {
    opening ??= import('./embedded.ts')
      .then((loaded) => loaded.openEmbedded(deps))
      .catch((thrown: unknown) => {
        opening = null;
        throw thrown;
      });
    return opening;
  };
  return {
    path: '/auth',
    async start(): Promise<void> {
      await loadKeys(deps);
    },
    handle: async (request, response, asked) => (await open()).handle(request, response, asked),
  };
}
