import { all, type Programs } from '../../../src/store/index.ts';
import type { ReadAudit } from './index.ts';

const hex = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');

export const writes = {};
export const reads: Programs<ReadAudit> = {
  *'audit-test.everything'() {
    const chains = yield* all`SELECT chain, first_link FROM audit_chain`;
    const records = yield* all`SELECT chain, seq, record, link FROM audit_record`;
    return {
      chains: chains.map((row) => ({ chain: String(row['chain']), firstLink: hex(row['first_link']) })),
      records: records.map((row) => ({
        chain: String(row['chain']),
        seq: Number(row['seq']),
        record: String(row['record']),
        link: hex(row['link']),
      })),
    };
  },
};
