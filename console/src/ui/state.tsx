import {
  AlertIcon,
  CheckCircleIcon,
  ClockIcon,
  CopyIcon,
  PaperAirplaneIcon,
  QuestionIcon,
  TrashIcon,
  XCircleIcon,
  type Icon,
} from '@primer/octicons-react';

type Tone = 'good' | 'warn' | 'bad' | 'plain';
const SHAPES: Readonly<Record<string, readonly [Icon, Tone]>> = {
  received: [ClockIcon, 'plain'],
  queued: [ClockIcon, 'plain'],
  sending: [PaperAirplaneIcon, 'plain'],
  unknown: [QuestionIcon, 'warn'],
  delivered: [CheckCircleIcon, 'good'],
  superseded: [CheckCircleIcon, 'plain'],
  duplicate: [CopyIcon, 'plain'],
  parked: [AlertIcon, 'warn'],
  quarantined: [XCircleIcon, 'bad'],
  discarded: [TrashIcon, 'plain'],
  confirmed: [CheckCircleIcon, 'good'],
  proposed: [QuestionIcon, 'warn'],
  revoked: [XCircleIcon, 'plain'],
  active: [CheckCircleIcon, 'good'],
  disabled: [XCircleIcon, 'warn'],
  running: [CheckCircleIcon, 'good'],
  paused: [AlertIcon, 'warn'],
  shadow: [AlertIcon, 'warn'],
  held: [AlertIcon, 'warn'],
  done: [CheckCircleIcon, 'good'],
  refused: [XCircleIcon, 'warn'],
  failed: [XCircleIcon, 'bad'],
  'failed badly': [XCircleIcon, 'bad'],
};

/** A state by shape and word as well as by colour. */
export function State({ is, reason }: { readonly is: string; readonly reason?: string | null | undefined }) {
  const [Shape, tone] = SHAPES[is] ?? [QuestionIcon, 'plain'];
  return (
    <span className={`state ${tone}`}>
      <Shape size={12} aria-hidden />
      {is}
      {reason === null || reason === undefined ? '' : `: ${reason}`}
    </span>
  );
}
