import {
  AppsIcon,
  BellIcon,
  BookIcon,
  GraphIcon,
  InboxIcon,
  LinkIcon,
  ListUnorderedIcon,
  OrganizationIcon,
  PackageIcon,
  PeopleIcon,
  PersonIcon,
  ServerIcon,
  ShieldCheckIcon,
  ShieldLockIcon,
  TasklistIcon,
  type Icon,
} from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from './api/session.tsx';

const PLACES: readonly {
  readonly to: string;
  readonly name: string;
  readonly icon: Icon;
  readonly permission: string;
}[] = [
  { to: '/', name: 'Overview', icon: GraphIcon, permission: 'flow.read' },
  { to: '/queue', name: 'Work queue', icon: TasklistIcon, permission: 'deliveries.read' },
  { to: '/deliveries', name: 'Deliveries', icon: InboxIcon, permission: 'deliveries.read' },
  { to: '/links', name: 'Links', icon: LinkIcon, permission: 'links.read' },
  { to: '/patient', name: 'Patient', icon: PersonIcon, permission: 'patients.read' },
  { to: '/groups', name: 'Patient groups', icon: ListUnorderedIcon, permission: 'patients.read' },
  { to: '/mappings', name: 'Mappings', icon: BookIcon, permission: 'mappings.read' },
  { to: '/ehr', name: 'EHR', icon: ServerIcon, permission: 'targets.read' },
  { to: '/apps', name: 'Apps and people', icon: AppsIcon, permission: 'apps.read' },
  { to: '/subscriptions', name: 'Subscriptions', icon: BellIcon, permission: 'apps.read' },
  { to: '/exports', name: 'Bulk exports', icon: PackageIcon, permission: 'apps.read' },
  { to: '/audit', name: 'Audit', icon: ShieldLockIcon, permission: 'audit.read' },
  { to: '/posture', name: 'Posture', icon: ShieldCheckIcon, permission: 'settings.read' },
  { to: '/operators', name: 'Operators', icon: OrganizationIcon, permission: 'operators.read' },
  { to: '/me', name: 'My sessions', icon: PeopleIcon, permission: '' },
];

const isAt = (here: string, to: string): boolean => (to === '/' ? here === '/' : here.startsWith(to));
/** Bulk jobs are begun from the work queue. */
const placeOf = (here: string): string => (here.startsWith('/jobs') ? '/queue' : here);

/** The places that the reader may see, and whose session it is. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [here] = useLocation();
  const { displayName, roles, permissions } = useSession();
  const places = PLACES.filter(({ permission }) => permission === '' || permissions.includes(permission));
  return (
    <div className="frame">
      <a className="skip" href="#title">
        Skip to the content
      </a>
      <header className="side">
        <Link to="/" className="brand">
          Chartgate
        </Link>
        <nav aria-label="Screens">
          <ul>
            {places.map(({ to, name, icon: Picture }) => (
              <li key={to}>
                <Link to={to} aria-current={isAt(placeOf(here), to) ? 'page' : undefined}>
                  <Picture size={16} aria-hidden />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <p className="who">
          {displayName}
          <br />
          {roles.join(', ')}
        </p>
      </header>
      <main>{children}</main>
    </div>
  );
}
