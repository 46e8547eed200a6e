import { parsePayload } from '../src/payloads/index.ts';
import { loadValidator, parseLossless } from '../src/r4/index.ts';
import { translate } from '../src/translate/index.ts';
import { makeMedplumOracle } from '../test/support/medplum-oracle.ts';
import { aClinicalReady } from '../test/support/payloads/index.ts';
import { standardMappings } from '../test/support/standard-mappings.ts';
import { DELIVERY, PATIENT, settingOf, toBundle } from '../test/support/translate-steps.ts';
import { round, type Figure } from './figure.ts';
import { race, ROUNDS } from './race.ts';

export const name = 'translate';

const OPTIONS = { clientUuid: null, documentKey: 'bundle-id', labPath: null } as const;

/** The whole way from the bytes of a delivery to wanted resources, against validating its bundle with @medplum/core. */
// eslint-disable-next-line @typescript-eslint/require-await -- every bench is asked in the same way
export async function* run(): AsyncGenerator<Figure> {
  const setting = settingOf(standardMappings());
  const validator = loadValidator();
  const outValidator = loadValidator({ profiles: ['vital-signs', 'us-core-lab'] });
  const medplum = makeMedplumOracle();
  const payload = aClinicalReady();
  const bytes = Buffer.from(JSON.stringify(payload));

  function read() {
    const parsed = parseLossless(bytes);
    const made = parsed.ok ? parsePayload(parsed.value, OPTIONS) : parsed;
    if (!made.ok || !('envelope' in made.value)) throw new Error('The payload of the bench must be sound.');
    const { document } = made.value;
    if (document.kind !== 'clinical_ready' || !validator.isValid(document.bundle))
      throw new Error('The bundle must be valid.');
    return made.value;
  }
  const whole = () => translate({ payload: read(), custom: null, patient: PATIENT, delivery: DELIVERY, setting });
  const once = read();
  const made = whole();
  if (made.trouble !== null || !outValidator.isValid(toBundle(made)))
    throw new Error('The translation of the bench must be sound.');

  const bundle = (payload['clinical_ready'] as { clinical_ready_data: unknown }).clinical_ready_data;
  const text = JSON.stringify(bundle);
  const copies = Array.from({ length: 64 }, () => JSON.parse(text) as unknown);
  let turn = 0;
  const next = (): unknown => copies[turn++ & 63];
  const [pipeline = NaN, only = NaN, checked = NaN, theirs = NaN] = race([
    whole,
    () => translate({ payload: once, custom: null, patient: PATIENT, delivery: DELIVERY, setting }),
    () => outValidator.isValid(toBundle(whole())),
    () => medplum(next()),
  ]);
  const what = `${bytes.length} bytes, 16 entries, median of ${ROUNDS} interleaved rounds`;
  const figure = (title: string, ours: number, note: string): Figure => ({
    bench: name,
    figure: title,
    ratio: round(theirs / ours),
    ours: round(ours),
    theirs: round(theirs),
    unit: 'us per bundle',
    note: `${note}; ${what}`,
  });
  yield figure(
    'pipeline-vs-medplum',
    pipeline,
    'parse, validate and translate against @medplum/core validateResource alone',
  );
  yield figure(
    'pipeline-checked-vs-medplum',
    checked,
    'the same, and what was made validated with its profiles, as deliveries are',
  );
  yield figure('translate-only-vs-medplum', only, 'translate alone');
}
