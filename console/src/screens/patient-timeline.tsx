import { useState } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/ask.ts';
import { useAsk } from '../api/use-ask.ts';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

type Event = ValueOf<'patients.timeline'>['events'][number];
const keyOf = (event: Event): string => {
  if (event.kind === 'delivery') return event.deliveryId;
  return event.kind === 'link' ? event.linkId : event.id;
};

function Happened({ event }: { readonly event: Event }) {
  switch (event.kind) {
    case 'delivery':
      return (
        <>
          <Link to={`/deliveries/${event.deliveryId}`}>{event.dataStructure ?? 'A delivery'}</Link> arrived{' '}
          {event.documentVersion === null ? '' : `(version ${event.documentVersion}) `}
          <State is={event.state} reason={event.reason} />
        </>
      );
    case 'link':
      return (
        <>
          Linked to a user of the source by {event.by} <State is={event.status} />
        </>
      );
    case 'request':
      return (
        <>
          {event.what === 'lab' ? 'A laboratory document was submitted' : 'A health profile was asked for'}{' '}
          {event.deliveryId === null ? (
            <State is="asked" reason="not yet there" />
          ) : (
            <Link to={`/deliveries/${event.deliveryId}`}>
              <State is="arrived" />
            </Link>
          )}
        </>
      );
  }
}

/** What happened to a patient, newest first. */
export function Timeline({ mrn }: { readonly mrn: string }) {
  const [cursor, setCursor] = useState<string | undefined>();
  const timeline = useAsk('patients.timeline', { params: { mrn }, query: { cursor, limit: 25 } });
  return (
    <section className="card" aria-labelledby="timeline">
      <div className="between">
        <h2 id="timeline">What happened</h2>
        <CopyAs id="patients.timeline" call={{ params: { mrn } }} command={`patients timeline '${mrn}'`} />
      </div>
      <Shown of={timeline}>
        {({ events, next }) =>
          events.length === 0 ? (
            <p>Nothing yet: nobody is linked to this MRN, or nothing has arrived.</p>
          ) : (
            <>
              <ol className="timeline">
                {events.map((event) => (
                  <li key={`${event.kind} ${keyOf(event)}`}>
                    <Happened event={event} />
                    <div className="small quiet">
                      <Time at={event.at} />
                    </div>
                  </li>
                ))}
              </ol>
              <Pages cursor={cursor} next={next} onGo={setCursor} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
