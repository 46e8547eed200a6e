import type { AnyResource } from '../payloads/index.ts';
import type { Result } from '../kernel/index.ts';
import { versionOf, type Item } from './build-items.ts';
import { isSearchKnown } from './ehr-habits.ts';
import type { Looked } from './look-up.ts';
import { isFoundBySearch } from './settle-item.ts';
import type { WriteDeps } from './write-deps.ts';
import type { Place, WriteAct } from './write-state.ts';

const isFirst = (resource: AnyResource, { versionId }: Place): boolean =>
  [versionId, '1', null].includes(versionOf(resource));

/**
 * What the EHR makes of what it is given is learnt from what it shows of a create, or by a look where it shows nothing;
 * and whether a search finds what was just written.
 */
export async function learnFromCreate(
  { item, place, shown, isLookWanted }: Extract<WriteAct, { kind: 'learn' }>,
  { plan, reader, habits }: Pick<WriteDeps, 'plan' | 'reader' | 'habits'>,
  look: (item: Item) => Promise<Result<Looked>>,
): Promise<void> {
  const { resourceType } = item;
  const sent = reader.contentOf(item.statement.resource);
  if (shown !== null) habits.learnChanges(resourceType, sent, reader.contentOf(shown));
  else if (isLookWanted) {
    const looked = await look({ ...item, at: place });
    // A version that went on since is somebody else's, and teaches nothing of the EHR.
    if (looked.ok && looked.value.kind === 'there' && isFirst(looked.value.resource, place))
      habits.learnChanges(resourceType, sent, reader.contentOf(looked.value.resource));
    else habits.wasNotShown(resourceType);
  }
  if (isFoundBySearch(plan, resourceType) && !isSearchKnown(habits.current())) {
    const found = await look({ ...item, at: null });
    if (found.ok) habits.learnSearch(found.value.kind === 'there' ? 'found' : 'not-found');
  }
}
