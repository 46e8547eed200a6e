import { EyeIcon, InboxIcon, LinkIcon } from '@primer/octicons-react';
import type { SyntheticEvent } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/ask.ts';
import { handleOf, useHandles, useOpened, type FindHandle } from '../api/handles.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Outcome, useAct } from '../ui/act.tsx';
import { AuditLink } from '../ui/audit-link.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Field, textsOf } from '../ui/field.tsx';
import { PatientLink } from '../ui/named.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { PatientPreview } from './link-preview.tsx';
import { Connections, PhoneCode } from './patient-connections.tsx';
import { Labs, Profiles } from './patient-labs.tsx';
import { Restriction } from './patient-restriction.tsx';
import { Rules } from './patient-rules.tsx';
import { Timeline } from './patient-timeline.tsx';

/** Whom the EHR has under the MRN; asked when somebody wants to know, and kept in the audit. */
function Who({ mrn }: { readonly mrn: string }) {
  const preview = useAsk('links.preview', { params: { mrn } });
  return <Shown of={preview}>{(value) => <PatientPreview of={value} />}</Shown>;
}

function OnePatient({ of }: { readonly of: string }) {
  const mrn = useOpened(of);
  const known = useAsk('patients.connections', { params: { mrn: of } });
  const mayEnrol = useMay('patients.enrol');
  const mayLink = useMay('links.change');
  const maySeeLinks = useMay('links.read');
  const maySeeDeliveries = useMay('deliveries.read');
  return (
    <>
      <section className="card" aria-labelledby="who">
        <div className="between">
          <h2 id="who">{mrn === null ? 'One patient' : `MRN ${mrn}`}</h2>
          <nav className="row" aria-label="More of this patient">
            <Link to={`/links?mrn=${of}`}>
              <LinkIcon size={16} aria-hidden /> Links
            </Link>
            {maySeeDeliveries ? (
              <Link to={`/deliveries?mrn=${of}`}>
                <InboxIcon size={16} aria-hidden /> Deliveries
              </Link>
            ) : null}
            <AuditLink of={{ patient: of }}>Who saw this patient</AuditLink>
            <Link to="/patient">All patients</Link>
          </nav>
        </div>
        {mayLink ? <Who mrn={of} /> : null}
        {maySeeLinks ? <Restriction mrn={of} /> : null}
        <p className="small quiet">
          <EyeIcon size={12} aria-hidden /> Every look at a patient is kept in the audit.
        </p>
      </section>
      <div className="halves">
        <div>
          <Connections mrn={of} known={known} />
          {mayEnrol ? <PhoneCode mrn={of} /> : null}
          <Labs mrn={of} />
          <Profiles mrn={of} />
        </div>
        <div>
          <Timeline mrn={of} />
          <Rules mrn={of} />
        </div>
      </div>
    </>
  );
}

type Row = ValueOf<'patients.list'>['patients'][number];
const columnsOf = (find: FindHandle): readonly Column<Row>[] => [
  { name: 'MRN', show: ({ mrn }) => <PatientLink mrn={mrn} find={find} /> },
  { name: 'Users of the source', show: ({ users }) => users, isNumber: true },
  { name: 'Connected now', show: ({ connections }) => connections, isNumber: true },
  { name: 'Linked', show: ({ linkedAt }) => <Time at={linkedAt} /> },
  { name: 'Last delivery', show: ({ lastDeliveryAt }) => <Time at={lastDeliveryAt} /> },
];

function AllPatients({ cursor, onGo }: { readonly cursor: string | undefined; readonly onGo: (to?: string) => void }) {
  const query = { cursor, limit: 50 };
  const found = useAsk('patients.list', { query });
  const find = useHandles(found.value?.patients.map(({ mrn }) => mrn) ?? [], []);
  return (
    <section aria-labelledby="all">
      <div className="between">
        <h2 id="all">Enrolled patients</h2>
        <CopyAs id="patients.list" call={{ query }} command="patients list" />
      </div>
      <Shown of={found}>
        {({ patients, next }) =>
          patients.length === 0 ? (
            <p>Nobody is enrolled yet. Type an MRN above, or link a user under Links.</p>
          ) : (
            <>
              <Table
                caption="The last linked first"
                rows={patients}
                columns={columnsOf(find)}
                keyOf={({ mrn }) => mrn}
              />
              <Pages cursor={cursor} next={next} onGo={onGo} />
            </>
          )
        }
      </Shown>
    </section>
  );
}

/** The address holds the handle of the patient; neither it nor the title names them. */
export function Patient() {
  const [{ of, cursor }, change] = useQuery();
  const act = useAct();
  const mayEnrol = useMay('patients.enrol');
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const made = await handleOf('mrn', textsOf(event.currentTarget, 'mrn').mrn);
    if (made.kind === 'refused') return void act.run(Promise.resolve(made), () => '');
    change({ of: made.value, cursor: undefined });
  };
  if (of !== undefined)
    return (
      <Screen title="Patient">
        <OnePatient key={of} of={of} />
      </Screen>
    );
  return (
    <Screen title="Patients">
      <form className="card row" aria-label="Which patient" onSubmit={(event) => void onSubmit(event)}>
        <Field label="Medical record number" name="mrn" required maxLength={600} />
        <button type="submit">{mayEnrol ? 'Show or enrol' : 'Show'}</button>
        {act.said === null ? null : <Outcome of={act} />}
      </form>
      <AllPatients cursor={cursor} onGo={(to) => change({ cursor: to })} />
    </Screen>
  );
}
