import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch } from 'wouter';
import { ProofDialog } from './api/proof.tsx';
import { ReasonDialog } from './api/reason.tsx';
import { WithSession } from './api/session.tsx';
import { Frame } from './frame.tsx';
import { Overview } from './screens/overview/overview.tsx';
import { Screen } from './ui/screen.tsx';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './styles/flow.css';
import './styles/patients.css';
import './styles/security.css';
import './styles/work.css';

const Deliveries = lazy(async () => ({ default: (await import('./screens/deliveries.tsx')).Deliveries }));
const Delivery = lazy(async () => ({ default: (await import('./screens/delivery/delivery.tsx')).Delivery }));
const Work = lazy(async () => ({ default: (await import('./screens/work/work.tsx')).Work }));
const Jobs = lazy(async () => ({ default: (await import('./screens/work/jobs.tsx')).Jobs }));
const OneJob = lazy(async () => ({ default: (await import('./screens/work/one-job.tsx')).OneJob }));
const Links = lazy(async () => ({ default: (await import('./screens/links.tsx')).Links }));
const Ehr = lazy(async () => ({ default: (await import('./screens/ehr/ehr.tsx')).Ehr }));
const Patient = lazy(async () => ({ default: (await import('./screens/patient.tsx')).Patient }));
const Mappings = lazy(async () => ({ default: (await import('./screens/mappings/mappings.tsx')).Mappings }));
const Posture = lazy(async () => ({ default: (await import('./screens/posture/posture.tsx')).Posture }));
const Apps = lazy(async () => ({ default: (await import('./screens/apps/apps.tsx')).Apps }));
const OneApp = lazy(async () => ({ default: (await import('./screens/apps/app.tsx')).OneApp }));
const OneClinician = lazy(async () => ({ default: (await import('./screens/apps/people.tsx')).OneClinician }));
const Subscriptions = lazy(async () => ({
  default: (await import('./screens/subscriptions/subscriptions.tsx')).Subscriptions,
}));
const OneSubscription = lazy(async () => ({
  default: (await import('./screens/subscriptions/subscription.tsx')).OneSubscription,
}));
const Exports = lazy(async () => ({ default: (await import('./screens/exports/exports.tsx')).Exports }));
const OneExport = lazy(async () => ({ default: (await import('./screens/exports/export.tsx')).OneExport }));
const Groups = lazy(async () => ({ default: (await import('./screens/groups/groups.tsx')).Groups }));
const OneGroup = lazy(async () => ({ default: (await import('./screens/groups/group.tsx')).OneGroup }));
const Audit = lazy(async () => ({ default: (await import('./screens/audit/audit.tsx')).Audit }));
const AuditRecord = lazy(async () => ({ default: (await import('./screens/audit/record.tsx')).AuditRecord }));
const Operators = lazy(async () => ({ default: (await import('./screens/operators/operators.tsx')).Operators }));
const Me = lazy(async () => ({ default: (await import('./screens/me/me.tsx')).Me }));

const Nowhere = () => (
  <Screen title="Nothing is here">
    <p>The address names no screen. Choose one at the side.</p>
  </Screen>
);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <WithSession>
      <Router base="/console">
        <Frame>
          <Suspense fallback={<p role="status">One moment …</p>}>
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/queue" component={Work} />
              <Route path="/jobs" component={Jobs} />
              <Route path="/jobs/:id">{({ id }) => <OneJob id={id} />}</Route>
              <Route path="/deliveries" component={Deliveries} />
              <Route path="/deliveries/:id">{({ id }) => <Delivery id={id} />}</Route>
              <Route path="/links" component={Links} />
              <Route path="/ehr" component={Ehr} />
              <Route path="/patient" component={Patient} />
              <Route path="/mappings" component={Mappings} />
              <Route path="/apps" component={Apps} />
              <Route path="/apps/people/:id">{({ id }) => <OneClinician id={id} />}</Route>
              <Route path="/apps/:id">{({ id }) => <OneApp id={id} />}</Route>
              <Route path="/subscriptions" component={Subscriptions} />
              <Route path="/subscriptions/:id">{({ id }) => <OneSubscription id={id} />}</Route>
              <Route path="/exports" component={Exports} />
              <Route path="/exports/:id">{({ id }) => <OneExport id={id} />}</Route>
              <Route path="/groups" component={Groups} />
              <Route path="/groups/:id">{({ id }) => <OneGroup id={id} />}</Route>
              <Route path="/audit" component={Audit} />
              <Route path="/audit/:chain/:seq">{(place) => <AuditRecord {...place} />}</Route>
              <Route path="/posture" component={Posture} />
              <Route path="/operators" component={Operators} />
              <Route path="/me" component={Me} />
              <Route component={Nowhere} />
            </Switch>
          </Suspense>
        </Frame>
      </Router>
      <ProofDialog />
      <ReasonDialog />
    </WithSession>
  </StrictMode>,
);
