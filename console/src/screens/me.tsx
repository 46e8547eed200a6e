import { useSession } from '../api/session.tsx';
import { Screen } from '../ui/screen.tsx';
import { Time } from '../ui/time.tsx';

export function Me() {
  const { name, displayName, roles, expiresAt, factors } = useSession();
  return (
    <Screen title="My sessions">
      <section className="card">
        <dl className="facts">
          <dt>Name</dt>
          <dd>
            {displayName} ({name})
          </dd>
          <dt>Roles</dt>
          <dd>{roles.join(', ')}</dd>
          <dt>Second factors</dt>
          <dd>{factors.length === 0 ? 'none' : factors.map(({ kind }) => kind).join(', ')}</dd>
          <dt>This session ends</dt>
          <dd>
            <Time at={expiresAt} />
          </dd>
        </dl>
      </section>
    </Screen>
  );
}
