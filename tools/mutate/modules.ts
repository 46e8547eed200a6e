/**
 * The modules that decide, without a database, a network or a clock of their own, and the tests that must notice when
 * one of them decides wrongly. A new rule belongs into a module of this list, or into a new row.
 */
export interface MutatedModule {
  readonly file: string;
  readonly tests: readonly string[];
}

const of = (file: string, ...tests: readonly string[]): MutatedModule => ({
  file: `src/${file}.ts`,
  tests: tests.map((name) => `test/unit/${name}`),
});

export const MODULES: readonly MutatedModule[] = [
  of('forward/decide-changes', 'forward/decide-changes.test.ts', 'forward/decide-changes-of-documents.test.ts'),
  of('translate/meaning', 'translate/meaning.test.ts'),
  of('translate/judge-time', 'translate/judge-time.test.ts'),
  of('forward/decide-outcome', 'forward/decide-outcome.test.ts'),
  of('forward/judge-chart', 'forward/judge-chart.test.ts'),
  of('forward/leases', 'forward/leases.test.ts'),
  of('forward/compare-identity', 'forward/compare-identity.test.ts'),
  of('inbox/decide-version', 'inbox/decide-version.test.ts'),
  of('inbox/decide-settlement', 'inbox/decide-version.test.ts'),
  of('identity/decide-change', 'identity'),
  of('ehr/back-off', 'ehr/back-off.test.ts'),
  of('ehr/breaker', 'ehr/breaker.test.ts'),
  of('ehr/limit-search', 'ehr/limit-search.test.ts'),
  of('ehr/choose-plan', 'ehr/choose-plan.test.ts'),
  of('ehr/classify-answer', 'ehr/classify-answer.test.ts'),
  of('ehr/classify-entries', 'ehr/classify-entries.test.ts'),
  of('ehr/pick-patient', 'ehr/pick-patient.test.ts'),
  of('auth/scope', 'auth/scope.test.ts'),
  of('auth/narrow-scope', 'auth/narrow-scope.test.ts'),
  of('smart/decide', 'smart/decide.test.ts'),
  of('smart/judge', 'smart/judge.test.ts'),
  of('smart/whose', 'smart/whose.test.ts'),
  of('smart/pass-page', 'smart/pass-page.test.ts'),
  of('r4/json/walk-bytes', 'smart/pass-page.test.ts', 'smart/fuzz-pages.test.ts'),
  of('r4/search/scan-searchset', 'smart/pass-page.test.ts', 'smart/fuzz-pages.test.ts'),
  of('audit/record', 'audit/record.test.ts'),
  of('audit/check-record', 'audit/check-record.test.ts'),
  of('audit/verify', 'audit/verify.test.ts', 'audit/verify-dropped.test.ts'),
  of('audit/merkle', 'audit/merkle.test.ts'),
  of('store/kept-keys', 'store/kept-keys.test.ts'),
  of('store/reseal/sealed-table', 'ops/sealed-tables.test.ts', 'store/sealed-table.test.ts'),
];
