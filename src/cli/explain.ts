import { readFileSync } from 'node:fs';
import { errorCode, ok, StartError } from '../kernel/index.ts';
import { explain as explainBody, type Explanation } from '../forward/index.ts';
import { loadSettingsGuides, makeTranslationContextHolder, type TranslationSettings } from '../judge/index.ts';
import { readSourceUris, SHIPPED_FOLDER } from '../mappings/index.ts';
import { NOT_RECEIVED, type UnmappedPolicy } from '../translate/index.ts';
import { explainRefusal, makeAdminApi } from './admin-api.ts';
import { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
import { explanationText } from './explain-report.ts';
import { parseOptions } from './parse-options.ts';
import { answerLine } from './report-answer.ts';

const help = `Usage: chartgate explain DELIVERY-ID [--reason TEXT] [--url URL] [--json]
       chartgate explain --file FILE [--mrn MRN] [--mrn-system URI] [--mappings FOLDER] [--uris FILE] [--dialect NAME]
                         [--unmapped leave-out|park|pass-through] [--lab-status preliminary|as-given]
                         [--standard-codes accept|park] [--guide GUIDE] [--snomed] [--json]

Shows what would be written for a document, every mapping decision with its row, and the difference to what was
written before. Nothing is sent. A stored delivery is asked of a running gateway, with the operator's token from
CHARTGATE_ADMIN_TOKEN. A file holds one payload of the Data Webhook and needs no gateway: the way to try mapping data
and templates before they are loaded.

  --reason TEXT      what it is wanted for, where the patient is restricted; the audit keeps it
  --url URL          where the gateway is (default: CHARTGATE_PUBLIC_URL or http://localhost:8080)
  --file FILE        a payload; - reads standard input
  --mrn MRN          the patient, as if linked; --mrn-system names its system
  --mappings FOLDER  mapping data, with custom/ for templates (default: CHARTGATE_MAPPINGS or the shipped ones)
  --uris FILE        the source's URIs (default: CHARTGATE_SOURCE_URIS or those of the folder)
  --dialect NAME     what the EHR accepts (default: default); a Practitioner whom it asks for is that of
                     CHARTGATE_EHR_PRACTITIONER
  --guide GUIDE      a guide whose profiles the dialect asks for: NAME#VERSION in guides/ of the mapping data, or the
                     path of a package or folder; may be given again
  --json             everything, resources included, as one line of JSON

Exit code: 0 it would go out · 1 it would not · 2 wrong arguments or unreadable · 69 no gateway there
`;

const OPTIONS = {
  reason: { type: 'string' },
  url: { type: 'string' },
  file: { type: 'string' },
  mrn: { type: 'string' },
  'mrn-system': { type: 'string', default: 'urn:example:mrn' },
  mappings: { type: 'string' },
  uris: { type: 'string' },
  dialect: { type: 'string', default: 'default' },
  guide: { type: 'string', multiple: true },
  unmapped: { type: 'string', default: 'leave-out' },
  'lab-status': { type: 'string', default: 'preliminary' },
  'standard-codes': { type: 'string', default: 'accept' },
  snomed: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

interface FileOptions {
  readonly file: string;
  readonly mrn: string | undefined;
  readonly mrnSystem: string;
  readonly mappings: string | undefined;
  readonly uris: string | undefined;
  readonly dialect: string;
  readonly guides: readonly string[];
  readonly unmapped: UnmappedPolicy;
  readonly labStatus: 'preliminary' | 'as-given';
  readonly standardCodes: 'accept' | 'park';
  readonly snomed: 'off' | 'on';
}

async function readFile(file: string, { stdin }: Terminal): Promise<Uint8Array> {
  if (file !== '-') return readFileSync(file);
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** The delivery that a file would be: none, and of no time, so that the same file gives the same bytes. */
const NO_DELIVERY = { id: 'dlv_file', receivedAt: NOT_RECEIVED };

async function explainFile(options: FileOptions, terminal: Terminal) {
  const { env } = terminal;
  const uris = options.uris ?? env['CHARTGATE_SOURCE_URIS'];
  const settings: TranslationSettings = {
    payloads: { clientUuid: null, documentKey: 'bundle-id', labPath: null },
    folder: options.mappings ?? env['CHARTGATE_MAPPINGS'] ?? SHIPPED_FOLDER,
    uris: uris === undefined ? null : readSourceUris(uris),
    dialect: options.dialect,
    guides: options.guides,
    guideInvariants: 'compiled',
    unmapped: options.unmapped,
    labStatus: options.labStatus,
    standardCodes: options.standardCodes,
    timeAheadHours: 1,
    incomingProfiles: 'finding',
    snomed: options.snomed,
    sourceIdentifier: 'none',
    practitioner: env['CHARTGATE_EHR_PRACTITIONER'] ?? null,
    environment: 'production',
  };
  const holder = makeTranslationContextHolder(settings, await loadSettingsGuides(settings));
  const body = await readFile(options.file, terminal);
  const { mrn, mrnSystem } = options;
  return explainBody(body, NO_DELIVERY, {
    translationContext: holder.current().translationContext,
    dialectBecause: holder.dialect().because,
    standing: null,
    link: () => Promise.resolve(ok(mrn === undefined ? null : { mrnSystem, mrn })),
    written: () => Promise.resolve(ok([])),
    seen: () => Promise.resolve(ok([])),
  });
}

const isOneOf = <T extends string>(value: string, ...words: readonly T[]): value is T =>
  (words as readonly string[]).includes(value);

/** A file of nobody is explained for what it is; that it has no link is no fault of it. */
const wouldGo = ({ trouble, issues }: Explanation, isFile: boolean): boolean =>
  issues.length === 0 && (trouble === null || (isFile && trouble === 'unlinked'));

export const explain: Command = {
  name: 'explain',
  summary: 'show what would be written for a delivery or a file, and why',
  help,
  async run(args, terminal) {
    const parsed = parseOptions(args, OPTIONS, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return usage(parsed.wrong);
    const { url, file, json, unmapped, 'mrn-system': mrnSystem, snomed, ...rest } = parsed.value.values;
    const { 'lab-status': labStatus, 'standard-codes': standardCodes } = rest;
    const [id, ...more] = parsed.value.positionals;
    if ((id === undefined) === (file === undefined) || more.length > 0) return usage('Name one delivery, or a --file.');
    if (!isOneOf(unmapped, 'leave-out', 'park', 'pass-through'))
      return usage('--unmapped is leave-out, park or pass-through.');
    if (!isOneOf(labStatus, 'preliminary', 'as-given')) return usage('--lab-status is preliminary or as-given.');
    if (!isOneOf(standardCodes, 'accept', 'park')) return usage('--standard-codes is accept or park.');
    const show = (explanation: Explanation): number => {
      terminal.stdout.write(json === true ? `${JSON.stringify(explanation)}\n` : explanationText(explanation));
      return wouldGo(explanation, file !== undefined) ? EXIT.ok : EXIT.failed;
    };

    if (file === undefined) {
      const api = makeAdminApi(url, terminal.env, 'digits');
      const { reason } = rest;
      const asked = { params: { id: id ?? '' }, ...(reason === undefined ? {} : { reason }) };
      const reply = await api.call('deliveries.explain', asked);
      if (reply.kind === 'done') return show(reply.value as unknown as Explanation);
      if (json === true) terminal.stdout.write(answerLine(reply));
      else terminal.stderr.write(`${explainRefusal(reply)}\n`);
      return EXIT.failed;
    }
    try {
      const { mrn, mappings, uris, dialect, guide = [] } = rest;
      const options = {
        file,
        mrn,
        mrnSystem,
        mappings,
        uris,
        dialect,
        guides: guide,
        unmapped,
        labStatus,
        standardCodes,
        snomed: snomed === true ? 'on' : 'off',
      } as const;
      const explained = await explainFile(options, terminal);
      if (explained.ok) return show(explained.value);
      const { code, at } = explained.fault;
      terminal.stderr.write(`${file} cannot be read: ${code}${at === undefined ? '' : ` at ${at}`}\n`);
      return EXIT.usage;
    } catch (thrown) {
      // Mapping data and templates say themselves what is wrong with them.
      if (thrown instanceof StartError || errorCode(thrown) === null) throw thrown;
      terminal.stderr.write(`${file} cannot be read (${errorCode(thrown) ?? ''}).\n`);
      return EXIT.usage;
    }
  },
};
