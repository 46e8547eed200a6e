import { tokenInfo } from '../auth-info.ts';
import type { Stand } from '../stand.ts';
import type { Side, SuiteRun } from '../suite-run.ts';
import { signedInToken, systemToken } from '../tokens.ts';

const MINUTES = 25;

const VERSIONS = ['3.1.1', '4.0.0', '5.0.1', '6.1.0', '7.0.0', '8.0.0'] as const;
type Level = 'system' | 'user' | 'patient';

/** US Core's suites offer launches of their own, which the SMART suites have tried already. */
export const LAUNCH_OPTION = { smart_app_launch_version: 'smart_app_launch_2_2' };

export const suiteOf = (version: string): string => `us_core_v${version.replaceAll('.', '')}`;

async function tokenOf(level: Level, { gateway, browser, inferno, patients }: Stand): Promise<string> {
  if (level === 'system') return systemToken(gateway, 'system/*.rs');
  const scope = level === 'user' ? 'openid fhirUser user/*.rs' : 'launch/patient patient/*.rs';
  return signedInToken(gateway, browser, { scope, mrn: patients.at(-1)?.mrn ?? '', app: inferno.url });
}

/** What the API group is told; a token for one patient finds nothing of the others. */
export async function apiInputs(stand: Stand, side: Side, level: Level): Promise<Record<string, string>> {
  const of = level === 'patient' ? stand.patients.slice(-1) : stand.patients;
  const asked = { patient_ids: of.map(({ id }) => id).join(','), implantable_device_codes: '' };
  return side === 'ehr'
    ? { ...asked, url: stand.ehr }
    : { ...asked, url: stand.gateway.fhir, smart_auth_info: tokenInfo(await tokenOf(level, stand)) };
}

const apiRun = (version: string, level: Level): SuiteRun => {
  const suite = suiteOf(version);
  return {
    name: `US Core ${version}, ${level} token`,
    set: 'us-core',
    suite,
    sides: 'both',
    go: async (kit, side) =>
      kit.run({
        suite,
        group: `${suite}_fhir_api`,
        inputs: await apiInputs(kit, side, level),
        options: LAUNCH_OPTION,
        minutesMax: MINUTES,
      }),
  };
};

export const usCoreRuns: readonly SuiteRun[] = VERSIONS.flatMap((version) =>
  (version === '6.1.0' ? (['system', 'user', 'patient'] as const) : (['system', 'patient'] as const)).map((level) =>
    apiRun(version, level),
  ),
);
