import { AlertIcon, CheckCircleIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import type { ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { durationOf, Time } from '../../ui/time.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import { Keys } from './keys.tsx';
import { Refused } from './refused.tsx';
import { AllSettings } from './settings.tsx';

type Settings = ValueOf<'settings.get'>;
type Connection = Settings['connections'][number];

const DAY_MS = 86_400_000;
/** A certificate that ends within this is to be renewed. */
const SOON_DAYS = 30;
/** The audit signs every minute where something happened. */
const SIGNED_LATE_MS = 10 * 60_000;

function Weak({ of }: { readonly of: Settings['weak'] }) {
  return (
    <section className="card" aria-labelledby="weak">
      <h2 id="weak">What is weak, and how to mend it</h2>
      {of.length === 0 ? (
        <p className="good">
          <CheckCircleIcon size={16} aria-hidden /> No setting leaves anything unchecked.
        </p>
      ) : (
        <ol className="weak">
          {of.map(({ key, what, mend }) => (
            <li key={what}>
              <span className="warn">
                <AlertIcon size={16} aria-hidden />
              </span>
              <div>
                <strong>{`${what.charAt(0).toUpperCase()}${what.slice(1)}`}.</strong>
                <div>
                  <WithCode text={mend} />
                </div>
                <code className="small quiet">{key}</code>
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const OF: Readonly<Record<Connection['of'], string>> = {
  listener: 'Where the gateway listens',
  'public-address': 'How apps and people reach it',
  ehr: 'To the EHR',
  database: 'To the database',
};
const HOW: Readonly<Record<Connection['how'], string>> = {
  'own-certificate': 'TLS with a certificate of its own',
  proxy: 'a proxy in front ends TLS',
  tls: 'TLS',
  'mutual-tls': 'TLS, and both sides show a certificate',
  loopback: 'it does not leave the machine',
  file: 'a file, without a network',
  plain: 'without TLS: whoever is between can read it',
};

function Certificate({ until }: { readonly until: string }) {
  const leftMs = Date.parse(until) - Date.now();
  const words = leftMs < 0 ? 'has ended' : `ends in ${durationOf(leftMs)}`;
  return (
    <div className={`small ${leftMs < SOON_DAYS * DAY_MS ? 'bad' : 'quiet'}`}>
      Its certificate {words}: <Time at={until} />
    </div>
  );
}

const Connections = ({ of }: { readonly of: readonly Connection[] }) => (
  <section className="card" aria-labelledby="connections">
    <h2 id="connections">Connections</h2>
    <dl className="facts">
      {of.map((one) => (
        <div className="contents" key={one.of}>
          <dt>{OF[one.of]}</dt>
          <dd>
            <span className={one.isProtected ? 'good' : 'bad'}>
              {one.isProtected ? <CheckCircleIcon size={12} aria-hidden /> : <AlertIcon size={12} aria-hidden />}{' '}
              {HOW[one.how]}
            </span>
            {one.certificateUntil === null ? null : <Certificate until={one.certificateUntil} />}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

function AuditState({ of: { checkpoint, isAnchored, retentionDays } }: { readonly of: Settings['audit'] }) {
  const mayRead = useMay('audit.read');
  const at = checkpoint?.at ?? null;
  const isLate = at !== null && Date.now() - Date.parse(at) > SIGNED_LATE_MS;
  return (
    <section className="card" aria-labelledby="audit-state">
      <h2 id="audit-state">The audit</h2>
      <dl className="facts">
        <dt>Last checkpoint</dt>
        <dd>
          {checkpoint === null ? (
            <span className="warn">none was signed yet</span>
          ) : (
            <>
              number {checkpoint.number.toLocaleString()}, over {checkpoint.records.toLocaleString()} records,{' '}
              <Time at={at} />
              {isLate ? (
                <div className="small quiet">
                  <WithCode text="Nothing was recorded since, or signing fails: the log would say `audit.unsigned`." />
                </div>
              ) : null}
            </>
          )}
        </dd>
        <dt>Anchor</dt>
        <dd className={isAnchored ? 'good' : 'warn'}>
          {isAnchored
            ? 'checkpoints are kept outside the database too'
            : 'none: checkpoints are kept in the database alone'}
        </dd>
        <dt>Records are kept</dt>
        <dd>{retentionDays.toLocaleString()} days</dd>
      </dl>
      {mayRead ? (
        <p>
          <Link to="/audit">Verify the whole log</Link>
        </p>
      ) : null}
    </section>
  );
}

const ENGINE: Readonly<Record<Settings['versions']['engine'], string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const Versions = ({ of }: { readonly of: Settings['versions'] }) => (
  <section className="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <dl className="facts">
      <dt>Chartgate</dt>
      <dd>{of.gateway}</dd>
      <dt>Node.js</dt>
      <dd>{of.node}</dd>
      <dt>{ENGINE[of.engine]}</dt>
      <dd>{of.engineVersion}</dd>
      <dt>Mapping data</dt>
      <dd>
        <Link to="/mappings?part=files">
          <code title={of.mappings}>{of.mappings.slice(0, 12)}</code>
        </Link>
      </dd>
    </dl>
  </section>
);

export function Posture() {
  const found = useAsk('settings.get');
  const maySeeFlow = useMay('flow.read');
  return (
    <Screen title="Posture" actions={<CopyAs id="settings.get" command="settings" />}>
      <Shown of={found}>
        {({ weak, keys, connections, audit, versions, settings }) => (
          <>
            <Weak of={weak} />
            <Keys of={keys} onDone={found.again} />
            <div className="halves">
              <Connections of={connections} />
              <AuditState of={audit} />
            </div>
            {maySeeFlow ? <Refused /> : null}
            <Versions of={versions} />
            <AllSettings of={settings} />
          </>
        )}
      </Shown>
    </Screen>
  );
}
