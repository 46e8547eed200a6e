import type { Flaw, Verified } from '../audit/index.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One record in a line, for people. */
export function auditLine(r: Readonly<Record<string, unknown>>): string {
  const parts = [
    text(r['at']),
    text(r['type']).padEnd(15),
    text(r['action']),
    text(r['outcome']).padStart(2),
    text(r['client']) || text(r['actor']),
    text(r['requestId']),
    text(r['deliveryId']),
    [text(r['from']), text(r['to'])].filter((one) => one !== '').join(' > '),
    text(r['why']),
  ];
  return `${parts.filter((one) => one !== '').join('  ')}\n`;
}

const WHAT: Readonly<Record<Flaw['what'], string>> = {
  'record-changed': 'a record was changed',
  'record-missing': 'a record is missing: removed, or cut off',
  'record-moved': 'a record is not where it belongs',
  'link-broken': 'a link of the chain was changed',
  'columns-changed': 'what a record is searched by was changed',
  'pairs-changed': 'which MRN is which Patient, by which both are found, is not what the records say',
  'chain-missing': 'a whole chain is missing',
  'chain-start': 'a chain does not begin where the one before it ended',
  rechained: 'records were changed and their hashes made to fit; the signed checkpoint does not agree',
  withheld: 'the database says that more is signed than is, which keeps the rest from being signed',
  'checkpoint-missing': 'a checkpoint is missing',
  'checkpoint-forged': 'a checkpoint was not signed by this key, or was changed',
  'checkpoint-order': 'a checkpoint does not follow the one before it',
  root: 'the records do not add up to the signed root',
  'anchor-missing': 'a checkpoint that was kept elsewhere is not here: this is an older copy, or it was cut',
  'segment-missing': 'an exported segment is not beside the anchor',
  'segment-changed': 'an exported segment beside the anchor is not what was signed',
};

export function verifiedText(v: Verified): string {
  const head = `${v.records} records in ${v.chains} chains, ${v.checkpoints} checkpoints, ${v.proven} records proven${
    v.lastCheckpointAt === null ? '' : ` until ${v.lastCheckpointAt}`
  }\n`;
  const tail = v.unproven
    .map(
      ({ chain, from, to }) =>
        `  ${chain} ${from} to ${to}: whole, after the last checkpoint; whether more had followed is not known\n`,
    )
    .join('');
  const kept =
    v.anchoredUntil === null || v.anchoredUntil === v.checkpoints
      ? ''
      : `  Only the checkpoints until ${v.anchoredUntil} of ${v.checkpoints} were found elsewhere; look at the anchor.\n`;
  const signer = v.key === null ? '' : `  The last checkpoint was signed by ${v.key}\n`;
  if (v.flaw === null) return `Sound. ${head}${signer}${kept}${tail}`;
  const { what, chain, seq, checkpoint } = v.flaw;
  const where = [
    ...(chain === null ? [] : [`chain ${chain}`]),
    ...(seq === null ? [] : [`record ${seq}`]),
    ...(checkpoint === null ? [] : [`checkpoint ${checkpoint}`]),
  ];
  return `NOT SOUND: ${WHAT[what]}${where.length === 0 ? '' : ` (${where.join(', ')})`}\nBefore it: ${head}`;
}
