import { digestOf, saidIn } from '../../src/content/index.ts';
import {
  decideChanges,
  ledgerQuestionOf,
  type Change,
  type WrittenResource,
} from '../../src/forward/decide-changes.ts';
import { saidAtOf, toBundle } from '../../src/judge/read-document.ts';
import type { Mappings } from '../../src/mappings/index.ts';
import { parsePayload, type AnyResource, type Payload } from '../../src/payloads/index.ts';
import { loadValidator, parseLossless } from '../../src/r4/index.ts';
import { asRetracted, translate, type Setting, type Translation } from '../../src/translate/index.ts';

export const PATIENT = { mrnSystem: 'urn:example:chartgate:mrn', mrn: '0001001' };
export const DELIVERY = { id: 'dlv_01hx0000000000000000000000', receivedAt: new Date('2026-11-15T06:00:00Z') };

export interface CaseOptions {
  readonly dialect?: string;
  readonly unmapped?: Setting['unmapped'];
  readonly practitioner?: Setting['practitioner'];
  readonly labStatus?: Setting['labStatus'];
  readonly sourceIdentifier?: Setting['sourceIdentifier'];
  readonly environment?: Setting['environment'];
  readonly standardCodes?: Setting['standardCodes'];
}

export function settingOf(mappings: Mappings, options: CaseOptions = {}): Setting {
  const dialect = mappings.dialects.get(options.dialect ?? 'default');
  if (dialect === undefined) throw new Error(`no dialect ${options.dialect ?? 'default'}`);
  return {
    mappings,
    dialect,
    unmapped: options.unmapped ?? 'park',
    sourceIdentifier: options.sourceIdentifier ?? 'none',
    labStatus: options.labStatus ?? 'preliminary',
    environment: options.environment ?? 'production',
    timeAheadHours: 1,
    practitioner: options.practitioner ?? null,
    standardCodes: options.standardCodes ?? 'accept',
  };
}

function payloadOf(text: string | Uint8Array): Payload {
  const value = parseLossless(typeof text === 'string' ? Buffer.from(text) : text);
  if (!value.ok) throw new Error(value.fault.rule);
  const payload = parsePayload(value.value, { clientUuid: null, documentKey: 'bundle-id', labPath: null });
  if (!payload.ok) throw new Error(`${payload.fault.code} ${payload.fault.at ?? ''}`);
  return payload.value;
}

export const translateText = (text: string | Uint8Array, setting: Setting, patient = PATIENT): Translation =>
  translate({ payload: payloadOf(text), custom: null, patient, delivery: DELIVERY, setting });

/** Of which document it is a version, and when that was made. */
export interface Said {
  readonly document: string;
  readonly saidAt: number;
}
export function saidBy(text: string | Uint8Array, receivedAt = DELIVERY.receivedAt): Said {
  const payload = payloadOf(text);
  return { document: payload.documentKey, saidAt: saidAtOf(payload, receivedAt) };
}

const validator = loadValidator({ profiles: ['vital-signs', 'us-core-lab'] });

export { toBundle };

export const problemsOf = (translation: Translation): string[] =>
  validator.validate(toBundle(translation)).map(({ rule, expression, text }) => `${rule} ${expression} ${text}`);

interface Row extends Omit<WrittenResource, 'isOfDocument' | 'ledgerDocument'> {
  readonly document: string;
  readonly resource: AnyResource;
}

const ONE_DOCUMENT: Said = { document: '', saidAt: 0 };

/** The ledger of one chart and user in memory, as deliver keeps it in the store. */
export function makeLedger() {
  const written = new Map<string, Row>();
  const write = (
    translation: Translation,
    setting: Setting,
    _version: number,
    { document, saidAt }: Said = ONE_DOCUMENT,
  ) => {
    const asked = ledgerQuestionOf(translation);
    const rows = [...written.values()]
      .map((row) => ({ ...row, ledgerDocument: row.document, isOfDocument: row.document === document }))
      .filter(
        ({ isOfDocument, name, group, chartDay }) =>
          isOfDocument || asked.names.includes(name) || (group === 'alerts' && chartDay === asked.alertsOf),
      );
    const { changes, isSuspicious, replaced, adopted } = decideChanges(translation, rows, setting.dialect, saidAt);
    for (const { name } of adopted) {
      const before = written.get(name);
      if (before !== undefined) written.set(name, { ...before, document, saidAt: Math.max(before.saidAt, saidAt) });
    }
    const shown = changes.map((change) => {
      if (change.kind === 'retract') {
        const before = written.get(change.written.name);
        const resource = asRetracted(before?.resource ?? ({} as AnyResource), setting.dialect, 'dropped');
        if (before !== undefined) written.set(before.name, { ...before, resource, isRetracted: true });
        return { change: change.kind, resource };
      }
      const { wanted } = change;
      if (change.kind === 'create' || change.kind === 'update')
        written.set(wanted.name, {
          name: wanted.name,
          resourceType: wanted.resource.resourceType,
          group: wanted.group,
          chartDay: wanted.chartDay,
          contentDigest: digestOf(wanted),
          isRetracted: false,
          said: saidIn(resourceOf(change)),
          isKept: false,
          id: wanted.name,
          document,
          saidAt,
          resource: resourceOf(change),
        });
      return { change: change.kind, resource: resourceOf(change) };
    });
    return { isSuspicious, ...(replaced === null ? {} : { replaced: replaced.at }), changes: shown };
  };
  return Object.assign(write, {
    chart: (): readonly AnyResource[] => [...written.values()].map(({ resource }) => resource),
    /** The documents whose alerts stand in the chart. */
    alerting: (): ReadonlySet<string> =>
      new Set(
        [...written.values()]
          .filter((row) => row.group === 'alerts' && !row.isRetracted)
          .map(({ document }) => document),
      ),
  });
}

const resourceOf = (change: Exclude<Change, { kind: 'retract' }>): AnyResource =>
  'resource' in change ? change.resource : change.wanted.resource;
