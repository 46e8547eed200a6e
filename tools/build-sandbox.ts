import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * In a checkout the sandbox imports the sources of the gateway; the package imports the package, by what that exports.
 */
const OF_THE_GATEWAY = /(['"])(?:\.\.\/)+src\/(?:(kernel|r4)\/index|(embed))\.js\1/g;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

const NO_CODE = /\.(?:html|css|json|csv|svg|png)$/;
const NOT_SHIPPED = /(?:^|\/)(?:package|tsconfig)\.json$/;

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function compile(path: string, source: string): string {
  const { outputText } = ts.transpileModule(source, { compilerOptions: OPTIONS, fileName: path });
  const text = outputText.replace(
    OF_THE_GATEWAY,
    (_, quote: string, folder?: string, file?: string) => `${quote}chartgate/${folder ?? file ?? ''}${quote}`,
  );
  if (/['"](?:\.\.\/)+src\//.test(text))
    throw new Error(`${path} imports something of the gateway that its package does not export`);
  return text;
}

/**
 * Types are checked elsewhere; here they are only taken away. `apart` are folders whose code is made otherwise, or not
 * at all.
 */
export function buildSandbox(from: string, to: string, apart: readonly string[]): void {
  rmSync(to, { recursive: true, force: true });
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name)).split(sep).join('/');
    const isCode = path.endsWith('.ts') && !apart.some((folder) => isBelow(path, folder));
    const isData = NO_CODE.test(path) && !NOT_SHIPPED.test(path) && !isBelow(path, 'test');
    if (!entry.isFile() || isBelow(path, 'node_modules') || isBelow(path, 'dist') || !(isCode || isData)) continue;
    const target = join(to, isCode ? path.replace(/\.ts$/, '.js') : path);
    mkdirSync(dirname(target), { recursive: true });
    const source = readFileSync(join(from, path));
    writeFileSync(target, isCode ? compile(path, source.toString('utf8')) : source);
  }
}
