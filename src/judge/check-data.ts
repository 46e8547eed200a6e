import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, StartError } from '../kernel/index.ts';
import { buildMappings, makeFindLine, readMappingFiles, type MappingFiles, type Problem } from '../mappings/index.ts';
import { KNOWN_STRUCTURES } from '../payloads/index.ts';
import type { ProfileSet } from '../r4/index.ts';
import { loadTemplates } from '../templates/index.ts';
import { checkImposed } from './check-imposed.ts';
import { compileProfiles, GuidesError } from './compile-profiles.ts';
import { isLicensed, loadSettingsGuides, templateFolders, type TranslationSettings } from './translation-context.ts';

/** Something that would keep mapping data or templates from being loaded. */
export interface DataProblem {
  readonly file: string;
  /** From 1; null where it is about the whole file. */
  readonly line: number | null;
  /** The key of the row inside the file. */
  readonly row: string | null;
  readonly text: string;
}

/** `unknown`: the guides were refused, so what dialects ask for cannot be looked up. */
type KnownProfiles = ProfileSet | null | 'unknown';

const whole = (file: string, text: string): DataProblem => ({ file, line: null, row: null, text });

function checkMappings(files: MappingFiles, settings: TranslationSettings, profiles: KnownProfiles): DataProblem[] {
  const built = buildMappings(files, { uris: settings.uris });
  if (built.ok) {
    const { dialects } = built.value;
    const imposed = profiles === 'unknown' ? [] : checkImposed(settings.dialect, built.value, profiles);
    if (settings.dialect === 'auto' || dialects.has(settings.dialect)) return found(imposed, files);
    return [
      whole(`dialects/${settings.dialect}.json`, 'is missing, and CHARTGATE_DIALECT names it'),
      ...found(imposed, files),
    ];
  }
  return found(built.fault, files);
}

/** With the line of each. */
function found(problems: readonly Problem[], files: MappingFiles): DataProblem[] {
  const finders = new Map<string, ReturnType<typeof makeFindLine>>();
  return problems.map(({ row: place, text }) => {
    const [file = place, ...rest] = place.split('#');
    const row = rest.length === 0 ? null : rest.join('#');
    const find = finders.get(file) ?? makeFindLine(Buffer.from(files.get(file) ?? []).toString('utf8'));
    finders.set(file, find);
    return { file, line: find(row, text), row, text };
  });
}

/** An expression stands in a list of lines: its line is an entry of the list. */
function lineOfTemplate(folder: string, file: string, text: string): number | null {
  const [, part = '', line = ''] = /^(key|resources), near line (\d+)/.exec(text) ?? [];
  const key = part === 'resources' ? `resources[${Number(line) - 1}]` : part === '' ? null : part;
  try {
    return makeFindLine(readFileSync(join(folder, file), 'utf8'))(key, text);
  } catch {
    // What cannot be read has no lines; the problem says so itself.
    return null;
  }
}

function checkTemplates(settings: TranslationSettings): DataProblem[] {
  try {
    loadTemplates(templateFolders(settings), KNOWN_STRUCTURES);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    const [head = '', ...lines] = thrown.message.split('\n');
    if (lines.length === 0) return [whole('templates', head)];
    return lines.map((said) => {
      const [, file = '', text = ''] = /^\s*([^:]+): (.*)$/.exec(said) ?? [];
      return { file, line: lineOfTemplate(settings.folder, file, text), row: null, text };
    });
  }
}

/** Looks at the files as a reload would, and tells every problem. Nothing of them is taken. */
export async function checkData(settings: TranslationSettings): Promise<DataProblem[]> {
  let files: MappingFiles;
  try {
    files = readMappingFiles(settings.folder);
  } catch (thrown) {
    if (errorCode(thrown) === null) throw thrown;
    return [whole('', `the mapping data cannot be read (${errorCode(thrown) ?? ''})`)];
  }
  const licensed = new Map([...files].filter(([name]) => isLicensed(name, settings)));
  const { profiles, problems } = await checkGuides(settings);
  return [...problems, ...checkMappings(licensed, settings, profiles), ...checkTemplates(settings)];
}

/** The problems of the guides, or their profiles. */
async function checkGuides(
  settings: TranslationSettings,
): Promise<{ readonly profiles: KnownProfiles; readonly problems: DataProblem[] }> {
  try {
    const profiles = compileProfiles(await loadSettingsGuides(settings), settings.guideInvariants);
    return { profiles, problems: [] };
  } catch (thrown) {
    if (thrown instanceof GuidesError)
      return {
        profiles: 'unknown',
        problems: thrown.problems.map(({ file, path, text }) => ({
          file,
          line: null,
          row: path === '' ? null : path,
          text,
        })),
      };
    if (thrown instanceof StartError) return { profiles: 'unknown', problems: [whole('guides', thrown.message)] };
    throw thrown;
  }
}
