import type { SqliteOperations } from '../../../src/store/index.ts';
import type { ReadAudit } from './index.ts';

const hex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');

export const writes = {};
export const reads: SqliteOperations<ReadAudit> = {
  'audit-test.everything': ({ db }) => ({
    chains: db
      .all('SELECT chain, first_link FROM audit_chain')
      .map((row) => ({ chain: String(row['chain']), firstLink: hex(row['first_link']) })),
    records: db.all('SELECT chain, seq, record, link FROM audit_record').map((row) => ({
      chain: String(row['chain']),
      seq: Number(row['seq']),
      record: String(row['record']),
      link: hex(row['link']),
    })),
  }),
};
