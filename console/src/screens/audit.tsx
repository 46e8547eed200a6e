import { ask, type ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { Table, type Column } from '../ui/table.tsx';
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

const FLAWED = 'The log is not as it was written';
type Verdict = ValueOf<'audit.verify'>;

function verdictOf({ sound, flaw, records, proven, chains, checkpoints }: Verdict): string {
  if (!sound)
    return `${FLAWED}: ${flaw?.what ?? 'unknown'}${(flaw?.chain ?? null) === null ? '' : ` in chain ${flaw?.chain}, record ${flaw?.seq ?? 'unknown'}`}. Keep the database as it is and read docs/audit.md.`;
  return `Nothing was changed, removed or put between: ${records.toLocaleString()} records in ${chains} chains, ${proven.toLocaleString()} of them under ${checkpoints} signed checkpoints.`;
}

function Verify() {
  const act = useAct();
  const isFlawed = act.said?.words.startsWith(FLAWED) === true;
  return (
    <section className="card" aria-labelledby="verify">
      <h2 id="verify">Is the log as it was written?</h2>
      <button type="button" disabled={act.isBusy} onClick={() => void act.run(ask('audit.verify'), verdictOf)}>
        {act.isBusy ? 'Every record is computed again …' : 'Verify'}
      </button>
      <Outcome of={isFlawed ? { ...act, said: { ...act.said, isGood: false } } : act} />
    </section>
  );
}

type Row = ValueOf<'audit.search'>['records'][number];
const COLUMNS: readonly Column<Row>[] = [
  { name: 'When', show: ({ at }) => <Time at={at} /> },
  { name: 'What', show: ({ type, interaction }) => [type, interaction].filter((one) => one !== undefined).join(': ') },
  { name: 'Who', show: ({ actor, client }) => actor ?? client },
  {
    name: 'Outcome',
    show: ({ outcome, why }) => [OUTCOMES[outcome] ?? outcome, why].filter((one) => one !== undefined).join(': '),
  },
  {
    name: 'About',
    show: ({ deliveryId, linkId, resourceType }) => <code>{deliveryId ?? linkId ?? resourceType}</code>,
  },
  {
    name: 'Record',
    show: ({ chain, seq }) => (
      <code>
        {chain} {seq}
      </code>
    ),
  },
];

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
              <Table
                caption="Audit records, newest first"
                rows={records}
                columns={COLUMNS}
                keyOf={({ chain, seq }) => `${chain} ${seq}`}
              />
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
