import { useState, type SyntheticEvent } from 'react';
import { ask } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Field } from '../ui/field.tsx';
import { Shown } from '../ui/screen.tsx';
import { Time } from '../ui/time.tsx';

type Rule = Readonly<Record<string, unknown>>;
interface Bound {
  readonly name: string;
  readonly words: string;
}
interface Signal {
  readonly name: string;
  readonly words: string;
  readonly bounds: readonly [Bound, Bound];
  /** How many of the service's units one of the form's has. */
  readonly scale: number;
}

const deviation = (): Signal['bounds'] => [
  { name: 'deviation_below_percent_float', words: 'Below the usual, %' },
  { name: 'deviation_above_percent_float', words: 'Above the usual, %' },
];
const range = (unit: string): Signal['bounds'] => [
  { name: 'threshold_min_float', words: `Less than, ${unit}` },
  { name: 'threshold_max_float', words: `More than, ${unit}` },
];
const SIGNALS: readonly Signal[] = [
  { name: 'resting_heart_rate', words: 'Resting heart rate', bounds: deviation(), scale: 1 },
  { name: 'hrv', words: 'Heart rate variability', bounds: deviation(), scale: 1 },
  { name: 'resting_breathing_rate', words: 'Resting breathing rate', bounds: deviation(), scale: 1 },
  { name: 'oxygenation', words: 'Oxygen saturation', bounds: range('%'), scale: 1 },
  { name: 'sleep_duration', words: 'Sleep', bounds: range('hours'), scale: 3_600 },
];
const isRecord = (value: unknown): value is Rule =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const signalsOf = (rule: Rule | null): Rule => (isRecord(rule?.['signals']) ? rule['signals'] : {});
const boundOf = (rule: Rule | null, signal: Signal, bound: Bound): number | '' => {
  const stored = signalsOf(rule)[signal.name];
  const value = isRecord(stored) ? stored[bound.name] : null;
  return typeof value === 'number' ? value / signal.scale : '';
};

/** What the form says; a signal without a bound is left to the general rule. Signals that it does not know stay. */
function ruleOf(form: FormData, stored: Rule | null): { readonly signals: Rule } {
  const known = new Set(SIGNALS.map(({ name }) => name));
  const others = Object.entries(signalsOf(stored)).filter(([name]) => !known.has(name));
  const given = SIGNALS.flatMap((signal) => {
    const bounds = signal.bounds.map((bound) => {
      const text = form.get(`${signal.name} ${bound.name}`);
      const isSet = typeof text === 'string' && text.trim() !== '';
      return [bound.name, isSet ? Number(text) * signal.scale : null] as const;
    });
    return bounds.every(([, value]) => value === null) ? [] : [[signal.name, Object.fromEntries(bounds)] as const];
  });
  return { signals: Object.fromEntries([...others, ...given]) };
}

function RuleForm({
  mrn,
  stored,
  onDone,
}: {
  readonly mrn: string;
  readonly stored: Rule | null;
  readonly onDone: () => void;
}) {
  const act = useAct();
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const body = ruleOf(new FormData(event.currentTarget), stored);
    if (await act.run(ask('patients.replaceRule', { params: { mrn }, body }), () => 'Stored at the service.')) onDone();
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      {SIGNALS.map((signal) => (
        <fieldset key={signal.name} className="rule">
          <legend>{signal.words}</legend>
          {signal.bounds.map((bound) => (
            <Field
              key={bound.name}
              label={bound.words}
              name={`${signal.name} ${bound.name}`}
              type="number"
              min={0}
              step="any"
              inputMode="decimal"
              defaultValue={boundOf(stored, signal, bound)}
            />
          ))}
        </fieldset>
      ))}
      <Outcome of={act} />
      <button type="submit" disabled={act.isBusy}>
        Store this rule
      </button>
    </form>
  );
}

/** When the service raises an alert for this patient. */
export function Rules({ mrn }: { readonly mrn: string }) {
  const rule = useAsk('patients.rule', { params: { mrn } });
  const mayEnrol = useMay('patients.enrol');
  const [turn, setTurn] = useState(0);
  if (rule.refusal?.code === 'enrol.not-found') return null;
  return (
    <section className="card" aria-labelledby="rules">
      <div className="between">
        <h2 id="rules">Monitoring rules</h2>
        <CopyAs id="patients.rule" call={{ params: { mrn } }} />
      </div>
      <Shown of={rule}>
        {({ rule: found }) => {
          const stored = isRecord(found) ? found : null;
          const changed = stored?.['updated_at'];
          const bounds = SIGNALS.flatMap((signal) =>
            signal.bounds.flatMap((bound) => {
              const value = boundOf(stored, signal, bound);
              return value === '' ? [] : [`${signal.words}: ${bound.words.toLowerCase()}: ${value}`];
            }),
          );
          return (
            <>
              <p>
                {stored === null ? (
                  'The patient has no rule of their own: the general one holds.'
                ) : (
                  <>
                    The patient’s own rule
                    {typeof changed === 'string' ? (
                      <>
                        , changed <Time at={changed} />
                      </>
                    ) : null}
                    .
                  </>
                )}{' '}
                An alert is raised outside of these bounds; a field that is empty leaves that to the general rule.
              </p>
              {mayEnrol ? (
                <RuleForm
                  key={`${turn} ${JSON.stringify(stored)}`}
                  mrn={mrn}
                  stored={stored}
                  onDone={() => {
                    setTurn((n) => n + 1);
                    rule.again();
                  }}
                />
              ) : (
                <ul>
                  {bounds.map((one) => (
                    <li key={one}>{one}</li>
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}
