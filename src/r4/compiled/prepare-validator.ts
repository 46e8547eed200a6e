import { loadCompiled, PREPARED_FOLDER } from './load-compiled.ts';

/**
 * For the build: writes the generated code where a package with a read-only root looks for it. See load-compiled.ts.
 */
export function prepareValidator(folder: string = PREPARED_FOLDER): void {
  loadCompiled([folder]);
}
