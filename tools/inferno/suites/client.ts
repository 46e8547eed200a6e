import { exportJWK, generateKeyPair } from 'jose';
import { askJson } from '../ask-json.ts';
import { startOwnGateway, type OwnGateway } from '../own-gateway.ts';
import type { SuiteRun } from '../suite-run.ts';

const SUITE = 'smart_client_stu2_2';
const MINUTES = 4;
const CLIENT_TYPE = 'SMART,client_credentials,confidential_asymmetric';
const CLIENT_ID = 'chartgate-as-client';

/** The address of the gateway's own public keys, as an EHR would be given it. */
async function findKeys({ url }: OwnGateway): Promise<string> {
  const isThere = (await fetch(`${url}/ehr/jwks.json`)).ok;
  return isThere ? `${url}/ehr/jwks.json` : `${url}/.well-known/jwks.json`;
}

/** Lets the gateway ask its EHR for something; that it was asked is all that is wanted. */
async function letItAsk({ url, adminToken }: OwnGateway): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}` };
  await askJson('POST', `${url}/admin/api/targets/ehr/probe`, { headers }).catch(() => null);
  await askJson('PUT', `${url}/admin/api/links/somebody`, { headers, body: { mrn: '1' } }).catch(() => null);
}

/** The gateway as a client of the EHR, whom Inferno plays. */
export const clientRuns: readonly SuiteRun[] = [
  {
    name: 'SMART 2.2 client, backend services',
    set: 'client',
    suite: SUITE,
    sides: 'gateway',
    async go({ inferno, run }) {
      const { privateKey } = await generateKeyPair('ES384', { extractable: true });
      const key = { ...(await exportJWK(privateKey)), kid: 'ehr', alg: 'ES384' };
      const client = await startOwnGateway({
        CHARTGATE_EHR_URL: inferno.address(SUITE, 'fhir'),
        CHARTGATE_EHR_AUTH: 'smart-backend',
        CHARTGATE_EHR_CLIENT_ID: CLIENT_ID,
        CHARTGATE_EHR_PRIVATE_KEY: JSON.stringify(key),
        CHARTGATE_EHR_TOKEN_URL: inferno.address(SUITE, 'auth/token'),
      });
      try {
        return await run({
          suite: SUITE,
          group: SUITE,
          options: { client_type: CLIENT_TYPE },
          inputs: {
            client_id: CLIENT_ID,
            smart_jwk_set: await findKeys(client),
            echoed_fhir_response: JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 }),
          },
          minutesMax: MINUTES,
          async onWait({ links }) {
            await letItAsk(client);
            await fetch(links.at(-1) ?? inferno.url);
          },
        });
      } finally {
        await client.stop();
      }
    },
  },
];
