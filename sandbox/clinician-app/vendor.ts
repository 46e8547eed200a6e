import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What the app's pages load that others wrote, and where it is in their packages. */
export const VENDOR: Readonly<Record<string, string>> = {
  'fhirclient.js': 'fhirclient/build/fhir-client.pure.min.js',
  'uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

/** In a package the files lie beside this one; in a checkout their packages are installed. Null: no such file. */
export async function readVendor(name: string): Promise<string | null> {
  const file = Object.hasOwn(VENDOR, name) ? VENDOR[name] : undefined;
  if (file === undefined) return null;
  const packed = await readFile(join(import.meta.dirname, 'vendor', name), 'utf8').catch(() => null);
  return packed ?? readFile(createRequire(import.meta.url).resolve(file), 'utf8');
}
