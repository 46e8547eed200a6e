import { useState } from 'react';
import { Link } from 'wouter';
import { ask } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { AppLink, useAppNames } from '../../ui/app-named.tsx';
import { AuditLink } from '../../ui/audit-link.tsx';
import { ConfirmEnd } from '../../ui/confirm-end.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Screen, Shown } from '../../ui/screen.tsx';
import { State } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { WithCode } from '../../ui/with-code.tsx';
import { adviceOf, contentWords, isInTrouble, stateMeaning, stateWord, topicWords } from '../../words/subscriptions.ts';
import type { Subscription } from '../../words/subscriptions.ts';

const LOOK_EVERY_MS = 5_000;

function Trouble({ of }: { readonly of: Subscription }) {
  const { becauseText, failures, failingSince, nextAt, state } = of;
  if (becauseText === null) return null;
  const tone = state === 'error' ? ' bad' : isInTrouble(of) ? ' warn' : '';
  return (
    <div className={`note${tone}`} role="status">
      <p>
        <strong>{becauseText}</strong>{' '}
        {failures === 0 ? null : (
          <>
            {failures === 1 ? 'One try has failed' : `${failures.toLocaleString()} tries in a row have failed`}, since{' '}
            <Time at={failingSince} />.{' '}
          </>
        )}
        {failures === 0 || nextAt === null ? null : (
          <>
            The next one is at <Time at={nextAt} />.
          </>
        )}
      </p>
      <p>
        <WithCode text={adviceOf(of) ?? ''} />
        {state === 'error'
          ? ' The app begins it anew by changing it to requested, and is then told what waits; it can read what it missed for 30 days.'
          : null}
      </p>
    </div>
  );
}

function Facts({ of }: { readonly of: Subscription }) {
  const { endpoint, patients, lastEvent, sentEvent, sentAt, waiting, madeAt, endsAt, id, state } = of;
  return (
    <dl className="facts">
      <dt>State</dt>
      <dd>{stateMeaning(state)}</dd>
      <dt>About</dt>
      <dd>{patients === 'any' ? 'whoever is linked and the app may see' : 'one patient, or a few'}</dd>
      <dt>Its app is told</dt>
      <dd>{contentWords(of)}</dd>
      <dt>Endpoint</dt>
      <dd>
        <code>{endpoint}</code> <span className="small quiet">Its path may hold a secret, and is not shown.</span>
      </dd>
      <dt>Last event</dt>
      <dd>{lastEvent === 0 ? 'none yet' : `number ${lastEvent.toLocaleString()}`}</dd>
      <dt>Taken by the endpoint</dt>
      <dd>
        {sentEvent === 0 ? 'no event yet' : `up to number ${sentEvent.toLocaleString()}`}; last sent{' '}
        <Time at={sentAt} />
      </dd>
      <dt>Waiting</dt>
      <dd>{waiting === 0 ? 'nothing' : `${waiting.toLocaleString()} ${waiting === 1 ? 'event' : 'events'}`}</dd>
      <dt>Made</dt>
      <dd>
        <Time at={madeAt} />
      </dd>
      <dt>Ends</dt>
      <dd>{endsAt === null ? 'when the app or an operator ends it' : <Time at={endsAt} />}</dd>
      <dt>Subscription</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  );
}

/** One subscription, how it stands, and its end. */
export function OneSubscription({ id }: { readonly id: string }) {
  const mayEnd = useMay('apps.change');
  const [isOver, setOver] = useState(false);
  const found = useAsk('subscriptions.get', { params: { id } }, isOver ? {} : { everyMs: LOOK_EVERY_MS });
  const names = useAppNames();
  if (!isOver && found.value?.state === 'off') setOver(true);
  return (
    <Screen
      title="Subscription"
      actions={
        <span className="row">
          <Link to="/subscriptions">All subscriptions</Link>
          <CopyAs id="subscriptions.get" call={{ params: { id } }} command={`subscriptions show ${id}`} />
        </span>
      }
    >
      <Shown of={found}>
        {(one) => (
          <section className="card" aria-labelledby="subscription">
            <div className="between">
              <h2 id="subscription">
                {topicWords(one)}, for <AppLink id={one.clientId} names={names} />
              </h2>
              <State is={stateWord(one)} />
            </div>
            <Trouble of={one} />
            <Facts of={one} />
            <div className="row">
              <ConfirmEnd
                isOffered={mayEnd && one.state !== 'off'}
                title="End this subscription?"
                run={(act) =>
                  act.run(ask('subscriptions.end', { params: { id } }), () => 'It is off. Nothing more is sent.')
                }
                onDone={found.again}
              >
                <p>
                  Nothing more is sent, also not what waits. The app sees that an operator has ended it, and can
                  subscribe again as long as it may: to keep it from that, disable the app or take the scope away.
                </p>
              </ConfirmEnd>
              <AuditLink of={{ client: one.clientId, type: 'fhir.notify' }}>
                What its app was told, in the audit
              </AuditLink>
              <Link to={`/subscriptions?app=${encodeURIComponent(one.clientId)}`}>All of this app</Link>
            </div>
          </section>
        )}
      </Shown>
    </Screen>
  );
}
