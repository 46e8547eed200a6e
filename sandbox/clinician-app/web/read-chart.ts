import type { Named, Observation } from './chart-parts.ts';
import type { Included } from './find-sources.ts';
import { statusOf, type SmartClient } from './smart-client.ts';

export interface Chart {
  readonly patient: Named;
  readonly observations: readonly Observation[];
  readonly included: readonly Included[];
}

/** From the most that is wanted to the least that is needed: not every server includes what it could. */
const INCLUDES = [
  ['_revinclude=Provenance:target', '_include=Observation:device', '_include=Observation:performer'],
  ['_revinclude=Provenance:target'],
  [],
] as const;

const isRefusal = (thrown: unknown): boolean => {
  const status = statusOf(thrown);
  return status === 400 || status === 403 || status === 422;
};

/** Everything of one patient, page by page. `onPage` hears how many pages have come. */
export async function readChart(
  client: SmartClient,
  patientId: string,
  onPage: (pages: number) => void,
): Promise<Chart> {
  const patient = await client.request<Named>(`Patient/${patientId}`);
  for (const includes of INCLUDES) {
    let pages = 0;
    const query = [`patient=${encodeURIComponent(patientId)}`, '_count=100', '_sort=-date', ...includes].join('&');
    try {
      const found: (Observation | Included)[] = [];
      await client.request(`Observation?${query}`, {
        pageLimit: 0,
        flat: true,
        onPage: (page) => {
          found.push(...(page as (Observation | Included)[]));
          onPage((pages += 1));
        },
      });
      // A page may repeat what an earlier one included.
      const once = [...new Map(found.map((one) => [`${one.resourceType}/${one.id ?? ''}`, one])).values()];
      return {
        patient,
        observations: once.filter((one) => one.resourceType === 'Observation'),
        included: once.filter((one) => one.resourceType !== 'Observation'),
      };
    } catch (thrown) {
      if (includes.length === 0 || !isRefusal(thrown)) throw thrown;
    }
  }
  throw new Error('unreachable');
}
