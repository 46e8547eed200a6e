import type { Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { AuditReads, AuditWrites } from './commands.ts';
import type { AuditSource } from './verify.ts';

/** Thrown through the verifier, which knows no stores: whoever began it takes the fault out again. */
export class SourceLost extends Error {
  readonly result: Extract<Result<never>, { ok: false }>;
  constructor(result: Extract<Result<never>, { ok: false }>) {
    super('the audit cannot be read');
    this.result = result;
  }
}

export type ReadAudit = Pick<Operate<AuditWrites, AuditReads>, 'read'>;

export function storeSource(audit: ReadAudit): AuditSource {
  async function read<K extends keyof AuditReads>(name: K, args: AuditReads[K]['args']): Promise<AuditReads[K]['out']> {
    const result = await audit.read(name, args);
    if (!result.ok) throw new SourceLost(result);
    return result.value;
  }
  return {
    chains: () => read('audit.chains', null),
    records: (chain, after, limit) => read('audit.chain', { chain, after, limit }),
    checkpoints: (after, limit) => read('audit.checkpoints', { after, limit }),
    dropped: () => read('audit.dropped', null),
    pairs: (after, limit) => read('audit.pairs', { after, limit }),
    stray: () => read('audit.stray', null),
  };
}
