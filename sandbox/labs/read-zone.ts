/** Abbreviations that mean one offset on laboratory reports. `ET` and its like are two, by season, and are not here. */
const ZONES: Readonly<Record<string, string>> = {
  Z: 'Z',
  UTC: 'Z',
  GMT: 'Z',
  EST: '-05:00',
  EDT: '-04:00',
  CST: '-06:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00', // prettier-ignore
  AKST: '-09:00',
  AKDT: '-08:00',
  HST: '-10:00',
  AST: '-04:00',
  ADT: '-03:00',
  WET: 'Z',
  WEST: '+01:00',
  CET: '+01:00',
  CEST: '+02:00',
  MEZ: '+01:00', // prettier-ignore
  MESZ: '+02:00',
  EET: '+02:00',
  EEST: '+03:00',
  BST: '+01:00',
  JST: '+09:00',
  AEST: '+10:00',
  AEDT: '+11:00',
  NZST: '+12:00',
  NZDT: '+13:00', // prettier-ignore
};
const OFFSET = /^\s*\(?(?:UTC|GMT)?\s?([+\u2212-])\s?(0?\d|1[0-4])(?::?([0-5]\d))?\)?(?=\s|$|[,;])/;
const NAMED = /^\s*\(?([A-Z]{1,4})\)?(?=\s|$|[,;.])/;

/** The zone that stands directly behind a time: an offset or `Z`. */
export function readZone(behind: string): string | null {
  const [, sign, hours, minutes] = OFFSET.exec(behind) ?? [];
  if (sign !== undefined && hours !== undefined) {
    const offset = `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes ?? '00'}`;
    return /^[+-]00:00$/.test(offset) ? 'Z' : offset;
  }
  return ZONES[NAMED.exec(behind)?.[1] ?? ''] ?? null;
}

/** A sentence for all times of the document: `All times are in EST`, `Time zone: UTC+01:00`. */
export function findStatedZone(text: string): string | null {
  const match = /\btime\s?zone\s*[:=]?\s*|\btimes?\s+(?:are\s+|shown\s+|is\s+|given\s+)*in\s+/i.exec(text);
  return match === null ? null : readZone(text.slice(match.index + match[0].length));
}
