import { ackBesideDelivery } from './ack-beside-delivery.ts';
import { endToEnd } from './end-to-end.ts';
import type { Figure } from './figure.ts';
import { manyStored } from './many-stored.ts';
import { realEhr } from './real-ehr.ts';

/** A million takes minutes to fill in: `--rows=1000000`. */
const ROWS = 200_000;

export async function* run({
  rows = ROWS,
  ehr = null,
}: { readonly rows?: number; readonly ehr?: string | null } = {}): AsyncGenerator<Figure> {
  yield* endToEnd('sqlite');
  yield* endToEnd('postgres');
  yield* ackBesideDelivery();
  yield* manyStored(rows);
  if (ehr !== null) yield* realEhr(ehr);
  else
    console.error(
      'deliver: real-ehr-share and real-ehr-vs-plain are left out, since no EHR is given (--ehr=URL, EHR_BENCH_URL)',
    );
}
