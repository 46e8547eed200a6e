import { useState } from 'react';
import { ask, type ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { Time } from '../ui/time.tsx';

const TYPES = [
  'hook.accept',
  'hook.reject',
  'delivery.change',
  'link.change',
  'ehr.read',
  'ehr.write',
  'fhir.read',
  'fhir.search',
  'fhir.deny',
  'auth.sign-in',
  'auth.grant',
  'auth.reject',
  'operator.sign-in',
  'admin',
  'config',
  'process',
] as const;
const isType = (value: string | undefined): value is (typeof TYPES)[number] => TYPES.some((one) => one === value);
const OUTCOMES: Readonly<Record<string, string>> = { '0': 'done', '4': 'refused', '8': 'failed', '12': 'failed badly' };

type Verdict = ValueOf<'audit.verify'>;

function verdictOf({ sound, flaw, records, proven, chains, checkpoints }: Verdict): string {
  if (!sound)
    return `The log is not as it was written: ${flaw?.what ?? 'unknown'}${flaw?.chain == null ? '' : ` in chain ${flaw.chain}, record ${flaw.seq ?? 'unknown'}`}. Keep the database as it is and read docs/audit.md.`;
  return `Nothing was changed, removed or put between: ${records.toLocaleString()} records in ${chains} chains, ${proven.toLocaleString()} of them under ${checkpoints} signed checkpoints.`;
}

function Verify() {
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ readonly isGood: boolean; readonly words: string } | null>(null);
  const verify = async (): Promise<void> => {
    setBusy(true);
    setSaid(null);
    const reply = await ask('audit.verify');
    setBusy(false);
    setSaid(
      reply.kind === 'done'
        ? { isGood: reply.value.sound, words: verdictOf(reply.value) }
        : { isGood: false, words: reply.refusal.message },
    );
  };
  return (
    <section className="card" aria-labelledby="verify">
      <h2 id="verify">Is the log as it was written?</h2>
      <button type="button" disabled={isBusy} onClick={() => void verify()}>
        {isBusy ? 'Every record is computed again …' : 'Verify'}
      </button>
      <p role="status" className={said?.isGood === false ? 'bad' : 'good'}>
        {said?.words ?? ''}
      </p>
    </section>
  );
}

export function Audit() {
  const [{ type, cursor }, change] = useQuery();
  const query = { type: isType(type) ? type : undefined, cursor, limit: 50 };
  const found = useAsk('audit.search', { query });
  return (
    <Screen title="Audit" actions={<CopyAs id="audit.search" call={{ query }} />}>
      <Verify />
      <form className="card row" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="What happened"
          value={type}
          of={TYPES}
          onChange={(to) => change({ type: to, cursor: undefined })}
        />
      </form>
      <Shown of={found}>
        {({ records, next }) =>
          records.length === 0 ? (
            <p>No record is like that. Choose other filters.</p>
          ) : (
            <>
              <div className="scroll">
                <table>
                  <caption>Newest first</caption>
                  <thead>
                    <tr>
                      <th scope="col">When</th>
                      <th scope="col">What</th>
                      <th scope="col">Who</th>
                      <th scope="col">Outcome</th>
                      <th scope="col">About</th>
                      <th scope="col">Record</th>
                    </tr>
                  </thead>
                  <tbody>
                    {records.map((record) => (
                      <tr key={`${record.chain} ${record.seq}`}>
                        <td>
                          <Time at={record.at} />
                        </td>
                        <td>
                          {record.type}
                          {record.interaction === undefined ? '' : `: ${record.interaction}`}
                        </td>
                        <td>{record.actor ?? record.client ?? ''}</td>
                        <td>
                          {OUTCOMES[record.outcome] ?? record.outcome}
                          {record.why === undefined ? '' : `: ${record.why}`}
                        </td>
                        <td>
                          <code>{record.deliveryId ?? record.linkId ?? record.resourceType ?? ''}</code>
                        </td>
                        <td>
                          <code>
                            {record.chain} {record.seq}
                          </code>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
