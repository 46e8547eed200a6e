import { hash } from 'node:crypto';
import { join } from 'node:path';
import { loadGuides, type LoadedGuide } from '../guides/index.ts';
import { errorCode, fail, ok, StartError, type Result } from '../kernel/index.ts';
import {
  buildMappings,
  MappingsError,
  readMappingFiles,
  recogniseDialect,
  type MappingFiles,
  type SourceUris,
  type EhrSelfDescription,
} from '../mappings/index.ts';
import { KNOWN_STRUCTURES, type PayloadOptions } from '../payloads/index.ts';
import { loadTemplates, makeRunTemplate, type Templates } from '../templates/index.ts';
import type { Setting } from '../translate/index.ts';
import { checkImposed } from './check-imposed.ts';
import { compileProfiles, GuidesError } from './compile-profiles.ts';
import type { TranslationContext } from './read-document.ts';

/** What does not change while the process runs. Plain, so that it can go to a thread. */
export interface TranslationSettings extends Omit<Setting, 'mappings' | 'dialect'> {
  readonly payloads: PayloadOptions;
  /**
   * The folder of the mapping data; shipped templates stand in `templates/` below it, those of the site in `custom/`.
   */
  readonly folder: string;
  readonly uris: SourceUris | null;
  readonly dialect: string;
  /** Whether rows that lead to SNOMED CT are used: it needs a licence in many countries. */
  readonly snomed: 'off' | 'on';
  /** The guides whose profiles are known: `NAME#VERSION` in the folder `guides` of the mapping data, or paths. */
  readonly guides: readonly string[];
  /** Whether invariants that cannot be compiled are evaluated too, slowly. */
  readonly guideInvariants: 'compiled' | 'all';
  readonly incomingProfiles: TranslationContext['incomingProfiles'];
}

/** What can be loaded anew: the bytes of the mapping data, the templates and the guides. Plain as well. */
export interface TranslationData {
  readonly files: MappingFiles;
  readonly templates: Templates;
  readonly guides: readonly LoadedGuide[];
}

/** The dialect until the EHR has been asked what it is. */
const AUTO = 'default';

const runTemplate = makeRunTemplate();

export function buildTranslationContext(
  settings: TranslationSettings,
  { files, templates, guides }: TranslationData,
): TranslationContext {
  const {
    payloads,
    folder: _folder,
    uris,
    dialect: name,
    snomed: _snomed,
    guides: _guides,
    guideInvariants,
    incomingProfiles,
    ...rest
  } = settings;
  const built = buildMappings(files, { uris });
  if (!built.ok) throw new MappingsError(built.fault);
  const mappings = built.value;
  const dialect = mappings.dialects.get(name);
  if (dialect === undefined) {
    const known = [...mappings.dialects.keys()].join(', ');
    throw new StartError(
      'dialect.unknown',
      `CHARTGATE_DIALECT: there is no dialect ${name}. There are auto, ${known}.`,
    );
  }
  return {
    payloads,
    setting: { ...rest, mappings, dialect },
    templates,
    runTemplate,
    profiles: compileProfiles(guides, guideInvariants),
    incomingProfiles,
  };
}

export const isLicensed = (name: string, { snomed }: TranslationSettings): boolean =>
  snomed === 'on' || !name.endsWith('-snomed.json');

/** The site's own take the place of those that come with the gateway. */
export const templateFolders = ({ folder }: TranslationSettings): string[] =>
  ['templates', 'custom'].map((name) => join(folder, name));

/** Throws a StartError with all that is wrong with them. */
export async function loadSettingsGuides({ folder, guides }: TranslationSettings): Promise<readonly LoadedGuide[]> {
  const loaded = await loadGuides(join(folder, 'guides'), guides);
  if (!loaded.ok) throw new GuidesError(loaded.problems);
  return loaded.value;
}

function loadData(settings: TranslationSettings, guides: readonly LoadedGuide[]): TranslationData {
  try {
    const files = readMappingFiles(settings.folder);
    return {
      files: new Map([...files].filter(([name]) => isLicensed(name, settings))),
      templates: loadTemplates(templateFolders(settings), KNOWN_STRUCTURES),
      guides,
    };
  } catch (thrown) {
    if (thrown instanceof StartError || errorCode(thrown) === null) throw thrown;
    throw new StartError(
      'mappings.folder',
      `The mapping data cannot be read (${errorCode(thrown) ?? ''}). Check CHARTGATE_MAPPINGS.`,
      thrown,
    );
  }
}

export interface Reloaded {
  /** Of everything that was loaded: mapping data, templates and guides. */
  readonly version: string;
  readonly changed: 'changed' | 'same';
  readonly templates: number;
}

/** What deliveries are read with, and the plain parts that it was made of. */
export interface LoadedTranslationContext {
  readonly settings: TranslationSettings;
  readonly data: TranslationData;
  readonly translationContext: TranslationContext;
}

export interface TranslationContextHolder {
  /** What is in force. Ask once for each delivery: a reload in between must not show inside one. */
  readonly current: () => LoadedTranslationContext;
  /** Of everything that is in force. */
  readonly version: () => string;
  /** Takes the new data when they are sound; else keeps the old and says, for a person, what is wrong with the new. */
  readonly reload: (guides: readonly LoadedGuide[]) => Result<Reloaded, string>;
  /** What the EHR says of itself, which decides on the dialect where the setting is `auto`. */
  readonly recognise: (told: EhrSelfDescription) => KnownDialect;
  readonly dialect: () => ChosenDialect;
}

/**
 * `setting`: by name. `recognised`: by what the EHR says of itself. `nothing-fits`: no dialect is like it, so it is the
 * default.
 */
export interface KnownDialect {
  readonly name: string;
  readonly because: 'setting' | 'recognised' | 'nothing-fits';
}
/** `not-asked-yet`: the EHR has not said what it is. Nothing is written before it has. */
export type ChosenDialect = KnownDialect | { readonly name: null; readonly because: 'not-asked-yet' };

/** Loads once; throws a StartError with every problem. */
export function makeTranslationContextHolder(
  settings: TranslationSettings,
  guides: readonly LoadedGuide[] = [],
): TranslationContextHolder {
  let told: EhrSelfDescription | null = null;
  const hold = (data: TranslationData, name: string): LoadedTranslationContext => {
    const own = { ...settings, dialect: name };
    return { settings: own, data, translationContext: buildTranslationContext(own, data) };
  };
  /** In the dialect that what is known of the EHR leads to among those of these data. */
  function inDialect(loaded: LoadedTranslationContext): LoadedTranslationContext {
    if (settings.dialect !== 'auto') return loaded;
    const { dialects } = loaded.translationContext.setting.mappings;
    const name = (told === null ? null : recogniseDialect(dialects, told)?.name) ?? AUTO;
    return name === loaded.settings.dialect ? loaded : hold(loaded.data, name);
  }
  function load(from: readonly LoadedGuide[]): LoadedTranslationContext {
    const loaded = hold(loadData(settings, from), settings.dialect === 'auto' ? AUTO : settings.dialect);
    const { setting, profiles } = loaded.translationContext;
    const problems = checkImposed(settings.dialect, setting.mappings, profiles);
    if (problems.length > 0) throw new MappingsError(problems);
    return inDialect(loaded);
  }
  let held = load(guides);
  function chosen(): KnownDialect {
    const { name, recognisedBy } = held.translationContext.setting.dialect;
    if (settings.dialect !== 'auto') return { name, because: 'setting' };
    return { name, because: recognisedBy === null ? 'nothing-fits' : 'recognised' };
  }
  const versionOf = ({ translationContext, data }: LoadedTranslationContext): string =>
    hash(
      'sha256',
      JSON.stringify([
        translationContext.setting.mappings.version,
        [...translationContext.templates.values()].map(({ version }) => version).sort(),
        data.guides.map(({ digest }) => digest),
      ]),
    );
  return {
    current: () => held,
    version: () => versionOf(held),
    dialect: () => (settings.dialect === 'auto' && told === null ? { name: null, because: 'not-asked-yet' } : chosen()),
    recognise(next) {
      told = next;
      held = inDialect(held);
      return chosen();
    },
    reload(from) {
      try {
        const next = load(from);
        const version = versionOf(next);
        const changed = version === versionOf(held) ? 'same' : 'changed';
        if (changed === 'changed') held = next;
        return ok({ version, changed, templates: next.translationContext.templates.size });
      } catch (thrown) {
        if (thrown instanceof StartError) return fail(thrown.message);
        throw thrown;
      }
    },
  };
}
