import { parseArgs } from 'node:util';
import { loadValidator, onOutermost, PROFILE_NAMES, type ProfileName } from '../r4/index.ts';
import { loadProfiles, profileLines } from './load-profiles.ts';
import { formatResult, type Judged } from './validate-report.ts';
import { makeProgress } from './progress.ts';
import { readResources, type Piece } from './read-resources.ts';

export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

export const validateHelp = `Usage: chartgate validate [options] FILE…

Checks FHIR R4 resources: JSON files, or NDJSON (by extension .ndjson or .jsonl, or by content) with one resource a
line. FILE may be - for standard input.

  --guide PACKAGE  a FHIR guide to check by: a package (.tgz) or the folder that one was unpacked to; may be given
                   again. What a resource claims in meta.profile is checked where a guide or R4 itself defines it
  --profile NAME   also check a profile, whatever is claimed: its address, or one of ${PROFILE_NAMES.join(', ')};
                   may be given again. Of a Bundle, the Bundle itself is checked by it
  --all-invariants also evaluate the rules that cannot be compiled, by the package fhirpath, which must be installed;
                   some thousand times as slow
  --list-profiles  list the profiles of the guides and the elements that must be supported, instead of checking files
  --not-checked    list what the guides ask for that is not checked, with the reason of each
  --warnings       report warnings too (they do not make a resource invalid)
  --json           one JSON object a line: {"file","line","valid","issues"} for each resource
  --help           this text

Exit code: 0 all valid · 1 something is invalid · 2 something could not be read, or a guide is none
`;

interface Wanted {
  readonly files: readonly string[];
  readonly guides: readonly string[];
  readonly profiles: readonly string[];
  readonly isJson: boolean;
  readonly withWarnings: boolean;
  readonly listsNotChecked: boolean;
  readonly listsProfiles: boolean;
  readonly invariants: 'compiled' | 'all';
}

const isProfile = (name: string): name is ProfileName => (PROFILE_NAMES as readonly string[]).includes(name);

/** What the arguments ask for, 'help', or what is wrong with them. */
function readArguments(args: readonly string[]): Wanted | 'help' | { readonly wrong: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        warnings: { type: 'boolean' },
        'not-checked': { type: 'boolean' },
        'list-profiles': { type: 'boolean' },
        'all-invariants': { type: 'boolean' },
        guide: { type: 'string', multiple: true },
        profile: { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return 'help';
    const listsProfiles = values['list-profiles'] === true;
    const listsNotChecked = values['not-checked'] === true;
    if (positionals.length === 0 && !listsProfiles && !listsNotChecked)
      return { wrong: 'Name at least one file, or - for standard input.' };
    const profiles = values.profile ?? [];
    const unknown = profiles.find((name) => !isProfile(name) && !name.includes(':'));
    if (unknown !== undefined)
      return { wrong: `There is no profile "${unknown}". Known are addresses, ${PROFILE_NAMES.join(', ')}.` };
    return {
      files: positionals,
      guides: values.guide ?? [],
      profiles,
      isJson: values.json === true,
      withWarnings: values.warnings === true,
      listsNotChecked,
      listsProfiles,
      invariants: values['all-invariants'] === true ? 'all' : 'compiled',
    };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : 'The arguments cannot be read.' };
  }
}

async function write(to: NodeJS.WritableStream, text: string): Promise<void> {
  if (text === '' || to.write(text)) return;
  await new Promise((resolve) => to.once('drain', resolve));
}

/** `chartgate validate`: answers the exit code, throws only on bugs. */
export async function validateCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const wanted = readArguments(args);
  if (wanted === 'help') {
    await write(io.stdout, validateHelp);
    return 0;
  }
  if ('wrong' in wanted) {
    await write(io.stderr, `${wanted.wrong}\nTry: chartgate validate --help\n`);
    return 2;
  }
  const addresses = wanted.profiles.filter((name) => !isProfile(name));
  const needsGuides = wanted.listsProfiles || wanted.guides.length + addresses.length > 0;
  const loaded = needsGuides ? await loadProfiles({ ...wanted, addresses }) : null;
  await write(io.stderr, loaded?.told ?? '');
  if (loaded?.profiles === null) return 2;
  const guides = loaded?.profiles ?? null;
  if (wanted.listsProfiles || wanted.files.length === 0) {
    await write(
      io.stdout,
      guides === null || !wanted.listsProfiles ? '' : profileLines(guides, wanted.isJson ? 'json' : 'text'),
    );
    return 0;
  }
  const validator = loadValidator({
    profiles: wanted.profiles.filter(isProfile),
    ...(guides === null ? {} : { guides: { profiles: guides, imposed: onOutermost(addresses) } }),
    warnings: wanted.withWarnings ? 'report' : 'skip',
  });
  const progress = makeProgress(io.stderr, wanted.files.length);
  const count = { valid: 0, invalid: 0, unreadable: 0 };

  async function judge(piece: Piece): Promise<Judged> {
    if ('problem' in piece) return { ...piece, state: 'unreadable' };
    const { issues } = await validator.checkInChunks(piece.bytes);
    const isInvalid = issues.some((issue) => issue.severity === 'error');
    return { file: piece.file, line: piece.line, state: isInvalid ? 'invalid' : 'valid', issues };
  }

  for (const file of wanted.files) {
    for await (const piece of readResources(file, io.stdin)) {
      const judged = await judge(piece);
      count[judged.state]++;
      progress.step(piece);
      const text = formatResult(judged, wanted.isJson ? 'json' : 'text');
      if (text !== '') progress.clear();
      await write(io.stdout, text);
    }
    progress.fileDone();
  }
  progress.clear();
  if (!wanted.isJson)
    await write(io.stdout, `${count.valid} valid, ${count.invalid} invalid, ${count.unreadable} could not be read\n`);
  return count.unreadable > 0 ? 2 : count.invalid > 0 ? 1 : 0;
}
