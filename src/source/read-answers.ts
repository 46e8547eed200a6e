import { isObject } from '../kernel/index.ts';
/** The answers of section 2, checked; null where one is not what the specification says. */

export interface Authorizer {
  readonly dataSource: string;
  readonly authorized: boolean;
  /** Present when the user is not authorized. To be opened in the system browser, never in an embedded web view. */
  readonly authorizationUrl: string | null;
}
export interface LabReceipt {
  readonly documentId: string;
}
export interface ProfileReceipt {
  readonly requestId: string;
}
export interface Binding {
  /** A data URL of a PNG. */
  readonly qrCode: string;
  readonly universalLink: string;
}
/** As the service stores it; its form is not published, so it is passed on as it is. */
export type MonitoringRule = Readonly<Record<string, unknown>>;

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= 4_000 &&
  URL.canParse(value) &&
  /^https?:$/.test(new URL(value).protocol);
const isId = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9-]{1,100}$/.test(value);

export function readAuthorizer(value: unknown, asked: string): Authorizer | null {
  if (!isObject(value)) return null;
  const { data_source: dataSource, authorized, authorization_url: url } = value;
  if (dataSource !== asked || typeof authorized !== 'boolean') return null;
  if (authorized) return { dataSource: asked, authorized, authorizationUrl: null };
  return isAddress(url) ? { dataSource: asked, authorized, authorizationUrl: url } : null;
}

const NAME = '[A-Za-z0-9_-]{1,64}';
const ONE_OF = new RegExp(`\\bone of:? (${NAME}(?:, (?:or )?${NAME}){1,30})`);

/**
 * The data sources that a refusal lists. They are names of the service alone: no other word of its answer is shown,
 * since it may quote the user. Null where it lists none.
 */
export function readAllowed(value: unknown, user: string): readonly string[] | null {
  if (!isObject(value)) return null;
  const [, list] =
    Object.values(value)
      .flatMap((one) => (typeof one === 'string' ? [ONE_OF.exec(one)] : []))
      .find((one) => one !== null) ?? [];
  const names = list?.split(/, (?:or )?/).filter((name) => name !== user) ?? [];
  return names.length === 0 ? null : names;
}

export const readLabReceipt = (value: unknown): LabReceipt | null =>
  isObject(value) && isId(value['document_id']) && value['status'] === 'received'
    ? { documentId: value['document_id'] }
    : null;

export const readProfileReceipt = (value: unknown): ProfileReceipt | null =>
  isObject(value) && isId(value['request_id']) ? { requestId: value['request_id'] } : null;

export function readBinding(value: unknown): Binding | null {
  if (!isObject(value)) return null;
  const { qr_code: qrCode, universal_link: universalLink } = value;
  const isPng = typeof qrCode === 'string' && /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(qrCode);
  return isPng && isAddress(universalLink) ? { qrCode, universalLink } : null;
}

export const readRule = (value: unknown): MonitoringRule | null => (isObject(value) ? value : null);
