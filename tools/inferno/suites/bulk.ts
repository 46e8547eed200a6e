import { z } from 'zod';
import { askJson } from '../ask-json.ts';
import { authInfo } from '../auth-info.ts';
import type { Stand } from '../stand.ts';
import type { SuiteRun } from '../suite-run.ts';
import { systemToken } from '../tokens.ts';

const SUITE = 'bulk_data_v200';
const MINUTES = 15;
const DAY_MS = 86_400_000;

const Groups = z.object({ entry: z.array(z.object({ resource: z.object({ id: z.string() }) })).optional() });

/** The first Group that the gateway shows; where it lists none, the one of all patients. */
async function findGroup({ gateway }: Stand): Promise<string> {
  const authorization = `Bearer ${await systemToken(gateway, 'system/*.rs')}`;
  const found = await askJson('GET', `${gateway.fhir}/Group`, { headers: { authorization } }).catch(() => ({}));
  return Groups.safeParse(found).data?.entry?.[0]?.resource.id ?? 'all';
}

/** Exports of all patients, of a group and of the system, by an app that Inferno signs for. */
export const bulkRuns: readonly SuiteRun[] = [
  {
    name: 'Bulk Data 2.0.0',
    set: 'bulk',
    suite: SUITE,
    sides: 'gateway',
    async go(kit) {
      const { gateway, inferno } = kit;
      const scope = 'system/*.rs';
      const jwksUri = inferno.address(SUITE, '.well-known/jwks.json');
      const app = await gateway.addApp({ kind: 'backend', scope, jwksUri });
      return kit.run({
        suite: SUITE,
        group: SUITE,
        inputs: {
          bulk_server_url: gateway.fhir,
          smart_auth_info: authInfo('backend', app, scope, { token_url: `${gateway.url}/auth/token` }),
          group_id: await findGroup(kit),
          bulk_timeout: '180',
          lines_to_validate: '',
          since_timestamp: new Date(Date.now() - DAY_MS).toISOString(),
        },
        minutesMax: MINUTES,
      });
    },
  },
];
