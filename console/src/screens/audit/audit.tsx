import { useState } from 'react';
import { useQuery } from '../../api/use-query.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { viewOf, Views } from '../../ui/pick.tsx';
import { Screen } from '../../ui/screen.tsx';
import { CountsOverTime } from './counts.tsx';
import { NO_FILTERS, NOBODY, queryOf, type Named } from './filters.tsx';
import { Records } from './records.tsx';
import { Verify } from './verify.tsx';

const VIEWS = [
  ['records', 'Who saw or wrote what'],
  ['counts', 'How often'],
  ['proof', 'Proof'],
] as const;

const quoted = (value: string): string => (/^[\w.:~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** The questions of a security officer. What names somebody stays in the page. */
export function Audit() {
  const [address, change] = useQuery();
  const [named, setNamed] = useState<Named>(NOBODY);
  const view = viewOf(address['view'], VIEWS);
  const query = queryOf(address);
  const options = Object.entries(query).map(([name, value]) => `--${name} ${quoted(String(value))}`);
  return (
    <Screen
      title="Audit"
      actions={
        view === 'records' ? (
          <CopyAs id="audit.search" call={{ query }} command={['audit search', ...options].join(' ')} />
        ) : undefined
      }
    >
      <Views
        label="Views of the audit"
        value={view}
        of={VIEWS}
        onChange={(to) => change({ view: to === 'records' ? undefined : to, cursor: undefined })}
      />
      {view === 'records' ? <Records named={named} onNamed={setNamed} /> : null}
      {view === 'counts' ? (
        <CountsOverTime
          onActor={(actor) => {
            setNamed({ ...NOBODY, actor });
            change({ ...NO_FILTERS, view: undefined });
          }}
        />
      ) : null}
      {view === 'proof' ? <Verify /> : null}
    </Screen>
  );
}
