import { parseDocument } from '../src/judge/parse-document.ts';
import { parsePayload } from '../src/payloads/index.ts';
import { loadValidator } from '../src/r4/index.ts';
import { translate } from '../src/translate/index.ts';
import { makeMedplumOracle } from '../test/support/medplum-oracle.ts';
import { standardMappings } from '../test/support/standard-mappings.ts';
import { DELIVERY, PATIENT, settingOf, toBundle } from '../test/support/translate-steps.ts';
import { makeDeliveries } from './deliveries.ts';
import { round, type Figure } from './figure.ts';
import { race, ROUNDS } from './race.ts';

export const name = 'translate';

const OPTIONS = { clientUuid: null, documentKey: 'bundle-id', labPath: null } as const;

/** So many documents are taken in turn, each of another user or another day. */
const DOCUMENTS = 400;

/**
 * The whole way from the bytes of a delivery to wanted resources, as judging goes it, against validating its bundle with
 * @medplum/core.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- every bench is asked in the same way
export async function* run(): AsyncGenerator<Figure> {
  const setting = settingOf(standardMappings());
  const validator = loadValidator();
  const outValidator = loadValidator({ profiles: ['vital-signs', 'us-core-lab'] });
  const medplum = makeMedplumOracle();
  const bodies = Array.from({ length: DOCUMENTS }, makeDeliveries());
  let turn = 0;
  const next = <T>(all: readonly T[]): T => all[turn++ % all.length] as T;

  function read(body: Buffer) {
    const parsed = parseDocument(body);
    const made = parsed.ok ? parsePayload(parsed.value.value, OPTIONS) : parsed;
    if (!made.ok || !('envelope' in made.value)) throw new Error('The payload of the bench must be sound.');
    const { document } = made.value;
    if (document.kind !== 'clinical_ready' || !validator.isValid(document.bundle))
      throw new Error('The bundle must be valid.');
    return made.value;
  }
  const translated = (payload: ReturnType<typeof read>) =>
    translate({ payload, custom: null, patient: PATIENT, delivery: DELIVERY, setting, decisions: 'left-out' });
  const whole = () => translated(read(next(bodies)));
  const payloads = bodies.map(read);
  const made = whole();
  if (made.trouble !== null || !outValidator.isValid(toBundle(made)))
    throw new Error('The translation of the bench must be sound.');

  const bundles = bodies.map((body) => {
    const { clinical_ready: ready } = JSON.parse(body.toString()) as {
      clinical_ready: { clinical_ready_data: unknown };
    };
    return ready.clinical_ready_data;
  });
  const [pipeline = NaN, only = NaN, checked = NaN, theirs = NaN] = race([
    whole,
    () => translated(next(payloads)),
    () => outValidator.isValid(toBundle(whole())),
    () => medplum(next(bundles)),
  ]);
  const what = `${bodies[0]?.length ?? 0} bytes, 16 entries, ${DOCUMENTS} documents in turn, median of ${ROUNDS} interleaved rounds`;
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
