import { authInfo } from '../auth-info.ts';
import type { SuiteRun } from '../suite-run.ts';
import { launchOrSignIn } from './smart.ts';
import { apiInputs, LAUNCH_OPTION, suiteOf } from './us-core.ts';

const MINUTES = 15;
const HL7 = 'http://terminology.hl7.org/CodeSystem';
const US_CORE = 'http://hl7.org/fhir/us/core/CodeSystem';

const CONTEXT = 'launch/patient openid fhirUser offline_access';

/** The two halves that US Core wants an app to be able to ask for: each category stands in one of them. */
const HALVES = [
  [
    ['Condition', `${HL7}/condition-category|encounter-diagnosis`],
    ['Condition', `${US_CORE}/condition-category|health-concern`],
    ['Observation', `${HL7}/observation-category|laboratory`],
    ['Observation', `${HL7}/observation-category|social-history`],
  ],
  [
    ['Condition', `${HL7}/condition-category|problem-list-item`],
    ['Observation', `${HL7}/observation-category|vital-signs`],
    ['Observation', `${HL7}/observation-category|survey`],
    ['Observation', `${US_CORE}/us-core-category|sdoh`],
  ],
] as const;

const scopeOf = (half: (typeof HALVES)[number]): string =>
  [CONTEXT, ...half.map(([type, category]) => `patient/${type}.rs?category=${category}`)].join(' ');

const granularRun = (version: string): SuiteRun => {
  const suite = suiteOf(version);
  return {
    name: `granular scopes, US Core ${version}`,
    set: 'granular',
    suite,
    sides: 'gateway',
    async go(kit) {
      const { gateway, inferno, patients } = kit;
      const inputs = await apiInputs(kit, 'gateway', 'patient');
      // What comes back for a narrow token is compared with what came back for a wide one in the same session.
      const wide = await kit.run({
        suite,
        group: `${suite}_fhir_api`,
        inputs,
        options: LAUNCH_OPTION,
        minutesMax: MINUTES,
      });
      if (wide.stopped !== null) return wide;
      const app = await gateway.addApp({
        kind: 'public',
        scope: `${CONTEXT} patient/*.rs`,
        launchUrl: inferno.address('smart', 'launch'),
        redirectUris: ['smart', 'smart_stu2', 'smart_stu2_2'].map((one) => inferno.address(one, 'redirect')),
      });
      const [first, second] = HALVES.map((half) => authInfo('public', app, scopeOf(half)));
      return kit.run({
        suite,
        group: `${suite}_smart_granular_scopes_stu2_2`,
        inputs: { ...inputs, granular_scopes_1_auth_info: first ?? '', granular_scopes_2_auth_info: second ?? '' },
        session: wide.session,
        minutesMax: MINUTES,
        onWait: launchOrSignIn(kit, app.id, patients.at(-1)?.mrn ?? ''),
      });
    },
  };
};

export const granularRuns: readonly SuiteRun[] = ['6.1.0', '7.0.0', '8.0.0'].map(granularRun);
