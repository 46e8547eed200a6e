import { registerHooks } from 'node:module';

/** For `--import`: at its end a process tells on stderr which packages and modules of ours it has loaded. */
const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, name] =
      /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? /\/src\/([^/]+)/.exec(url) ?? /\/(sandbox)\//.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write(`loaded ${JSON.stringify([...loaded].sort())}\n`));
