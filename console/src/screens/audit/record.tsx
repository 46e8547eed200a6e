import { CheckCircleIcon, ClockIcon, XCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { actionWords, outcomeWords, typeWords, whyWords } from '../../words/audit.ts';
import { roleName } from '../../words/roles.ts';

type Proven = ValueOf<'audit.get'>;
type Fact = readonly [name: string, value: ReactNode];

const VERDICTS = {
  proven: [CheckCircleIcon, 'note good', 'It is as it was written'],
  waiting: [ClockIcon, 'note', 'It fits into its chain, and waits for its checkpoint'],
  broken: [XCircleIcon, 'note bad', 'It is not as it was written'],
} as const;

function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div className="contents" key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const code = (text: string | undefined): ReactNode => (text === undefined ? undefined : <code>{text}</code>);

function What({ of: r }: { readonly of: Proven['record'] }) {
  return (
    <section className="card" aria-labelledby="what">
      <div className="between">
        <h2 id="what">{typeWords(r.type)}</h2>
        <State is={outcomeWords(r.outcome).toLowerCase()} />
      </div>
      <Facts
        of={[
          ['When', <Time key="at" at={r.at} />],
          [
            'What',
            [actionWords(r.action), r.why === undefined ? undefined : whyWords(r.why), r.interaction]
              .filter((one) => one !== undefined)
              .join(' · '),
          ],
          ['Who', r.actor],
          ['Allowed by', r.roles?.map(roleName).join(', ')],
          ['Through the app', r.client],
          ['Said why', r.reason],
          ['From', r.from],
          ['To', r.to],
          ['Changes of the delivery', r.steps?.map(({ from, to }) => `${from} to ${to}`).join(', ')],
          ['Kind of resource', r.resourceType],
          ['How many', r.count?.toLocaleString()],
          ['Resources', r.resources?.join(', ')],
          [
            'Delivery',
            r.deliveryId === undefined ? undefined : (
              <Link key="d" to={`/deliveries/${r.deliveryId}`}>
                {r.deliveryId}
              </Link>
            ),
          ],
          ['Link', code(r.linkId)],
          ['Operator or key', code(r.operatorId)],
          [
            'Request',
            <Link key="r" to={`/audit?request=${encodeURIComponent(r.requestId)}`}>
              {r.requestId}
            </Link>,
          ],
          ['Patient, as a keyed hash', code(r.patientHash)],
          ['Id at the EHR, as a keyed hash', code(r.chartHash)],
          ['Source user, as a keyed hash', code(r.userHash)],
          ['Who used the app, as a keyed hash', code(r.subjectHash)],
          ['Address, as a keyed hash', code(r.addressHash)],
          ['Digest of the body', code(r.bodyDigest)],
          ['Token', code(r.tokenId)],
          ['Version', r.version],
        ]}
      />
      {r.hasSealed ? (
        <p className="small quiet">
          The patient, or the request as it came, is sealed with the record. An export of form BALP opens it.
        </p>
      ) : null}
    </section>
  );
}

function Proof({ of: { record, proof } }: { readonly of: Proven }) {
  const { state, leaf, previous, link, checkpoint } = proof;
  const [Shape, className, words] = VERDICTS[state];
  return (
    <section className="card" aria-labelledby="proof">
      <h2 id="proof">Its proof</h2>
      <div className={className} role={state === 'broken' ? 'alert' : 'status'}>
        <h3>
          <Shape size={20} aria-hidden /> {words}
        </h3>
        <p>
          {state === 'proven' && checkpoint !== null ? (
            <>
              Its hash, and those of all records that follow it up to checkpoint {checkpoint.n}, were computed again
              just now. They lead to what was signed on <Time at={checkpoint.at} />: whoever changes the record would
              need the key.
            </>
          ) : null}
          {state === 'waiting' ? 'A checkpoint is signed every minute. Look again then.' : null}
          {state === 'broken' ? 'Keep the database as it is, verify the whole log, and read docs/audit.md.' : null}
        </p>
      </div>
      <Facts
        of={[
          ['Place', `record ${record.seq} of chain ${record.chain}`],
          ['Hash of the record', <code key="l">{leaf}</code>],
          ['Chain before it', previous === null ? 'exported and removed' : <code key="p">{previous}</code>],
          ['Chain with it', <code key="k">{link}</code>],
          [
            'Checkpoint',
            checkpoint === null ? 'none yet' : `${checkpoint.n}, over ${checkpoint.records.toLocaleString()} records`,
          ],
          ['Signed root', checkpoint === null ? undefined : (checkpoint.root ?? 'not signed by a key of this gateway')],
        ]}
      />
      {checkpoint === null ? null : (
        <details>
          <summary>The checkpoint, as it was signed</summary>
          <pre>{checkpoint.note}</pre>
        </details>
      )}
    </section>
  );
}

/** One record, at an address of its own. */
export function AuditRecord({ chain, seq }: { readonly chain: string; readonly seq: string }) {
  const params = { chain, seq };
  const found = useAsk('audit.get', { params });
  return (
    <Screen
      title="Audit record"
      actions={<CopyAs id="audit.get" call={{ params }} command={`audit show ${chain} ${seq}`} />}
    >
      <p>
        <Link to="/audit">All records</Link>
      </p>
      <Shown of={found}>
        {(value) => (
          <>
            <What of={value.record} />
            <Proof of={value} />
          </>
        )}
      </Shown>
    </Screen>
  );
}
