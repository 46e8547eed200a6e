import { exportJWK, generateKeyPair } from 'jose';
import { askJson } from '../ask-json.ts';
import { startOwnGateway } from '../own-gateway.ts';
import type { SuiteRun } from '../suite-run.ts';

const SUITE = 'smart_client_stu2_2';
const MINUTES = 4;
const CLIENT_TYPE = 'SMART,client_credentials,confidential_asymmetric';

/** The gateway as a client of the EHR, whom Inferno plays. */
export const clientRuns: readonly SuiteRun[] = [
  {
    name: 'SMART 2.2 client, backend services',
    set: 'client',
    suite: SUITE,
    sides: 'gateway',
    async go({ inferno, run }) {
      const { publicKey, privateKey } = await generateKeyPair('ES384', { extractable: true });
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'ehr', alg: 'ES384', use: 'sig' }] };
      const clientId = 'chartgate-as-client';
      const key = { ...(await exportJWK(privateKey)), kid: 'ehr', alg: 'ES384' };
      return run({
        suite: SUITE,
        group: SUITE,
        options: { client_type: CLIENT_TYPE },
        inputs: {
          client_id: clientId,
          smart_jwk_set: JSON.stringify(jwks),
          echoed_fhir_response: JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 }),
        },
        minutesMax: MINUTES,
        async onWait({ links }) {
          const client = await startOwnGateway({
            CHARTGATE_EHR_URL: inferno.address(SUITE, 'fhir'),
            CHARTGATE_EHR_AUTH: 'smart-backend',
            CHARTGATE_EHR_CLIENT_ID: clientId,
            CHARTGATE_EHR_PRIVATE_KEY: JSON.stringify(key),
            CHARTGATE_EHR_TOKEN_URL: inferno.address(SUITE, 'auth/token'),
          });
          try {
            // The EHR is asked for this patient, and has none: that it was asked is all that is wanted.
            const headers = { authorization: `Bearer ${client.adminToken}` };
            await askJson('PUT', `${client.url}/admin/api/links/somebody`, { headers, body: { mrn: '1' } }).catch(
              () => null,
            );
          } finally {
            await client.stop();
          }
          await fetch(links.at(-1) ?? inferno.url);
        },
      });
    },
  },
];
