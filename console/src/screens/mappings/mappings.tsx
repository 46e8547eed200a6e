import { useQuery } from '../../api/use-query.ts';
import { Screen } from '../../ui/screen.tsx';
import { Loads } from './loads.tsx';
import { Rows } from './rows.tsx';
import { Try } from './try.tsx';
import { Unmapped } from './unmapped.tsx';

const PARTS = [
  { name: 'unmapped', title: 'Unmapped', Part: Unmapped },
  { name: 'rows', title: 'Rows', Part: Rows },
  { name: 'try', title: 'Try a payload', Part: Try },
  { name: 'files', title: 'Files and loads', Part: Loads },
] as const;

/** A word in the address without a part is looked for among the rows. */
const partOf = (part: string | undefined, text: string | undefined): (typeof PARTS)[number] =>
  PARTS.find(({ name }) => name === (part ?? (text === undefined ? 'unmapped' : 'rows'))) ?? PARTS[0];

export function Mappings() {
  const [{ part, text }, change] = useQuery();
  const shown = partOf(part, text);
  return (
    <Screen title="Mappings">
      <div className="tabs views" role="group" aria-label="Parts">
        {PARTS.map(({ name, title }) => (
          <button
            type="button"
            key={name}
            aria-pressed={name === shown.name}
            onClick={() =>
              change({ part: name, cursor: undefined, text: undefined, file: undefined, delivery: undefined })
            }
          >
            {title}
          </button>
        ))}
      </div>
      <shown.Part />
    </Screen>
  );
}
