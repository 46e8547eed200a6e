import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { CopyAs } from '../../ui/copy-as.tsx';
import { CutBanner, Live } from '../../ui/live.tsx';
import { Screen } from '../../ui/screen.tsx';
import { FlowPicture, LedgerEquation } from './flow.tsx';
import { Needs } from './needs.tsx';
import { FlowSeries } from './series.tsx';

/** What the stream does not tell of the EHR changes seldom. */
const TARGET_MS = 15_000;

export function Overview() {
  const maySeeTargets = useMay('targets.read');
  const targets = useAsk('targets.list', undefined, { everyMs: TARGET_MS, isWanted: maySeeTargets });
  const target = targets.value?.targets[0];
  return (
    <Screen title="Overview" actions={<Live />}>
      <CutBanner />
      <FlowPicture isPaused={target?.state === 'paused'} />
      <Needs target={target} />
      <LedgerEquation actions={<CopyAs id="flow.ledger" command="ledger" />} />
      <FlowSeries />
    </Screen>
  );
}
