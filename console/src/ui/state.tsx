import {
  AlertIcon,
  CheckCircleIcon,
  ClockIcon,
  CopyIcon,
  PaperAirplaneIcon,
  PencilIcon,
  PlusCircleIcon,
  QuestionIcon,
  SkipIcon,
  StopIcon,
  SyncIcon,
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
  asked: [ClockIcon, 'plain'],
  connected: [CheckCircleIcon, 'good'],
  ended: [XCircleIcon, 'plain'],
  requested: [ClockIcon, 'plain'],
  error: [XCircleIcon, 'bad'],
  off: [StopIcon, 'plain'],
  complete: [CheckCircleIcon, 'good'],
  deleted: [TrashIcon, 'plain'],
  expired: [ClockIcon, 'plain'],
  arrived: [CheckCircleIcon, 'good'],
  overdue: [AlertIcon, 'warn'],
  active: [CheckCircleIcon, 'good'],
  'active, failing': [AlertIcon, 'warn'],
  disabled: [XCircleIcon, 'warn'],
  running: [CheckCircleIcon, 'good'],
  paused: [AlertIcon, 'warn'],
  shadow: [AlertIcon, 'warn'],
  held: [AlertIcon, 'warn'],
  done: [CheckCircleIcon, 'good'],
  stopped: [StopIcon, 'warn'],
  retry: [SyncIcon, 'warn'],
  lost: [QuestionIcon, 'bad'],
  'under way': [PaperAirplaneIcon, 'plain'],
  'put-back': [ClockIcon, 'plain'],
  'taken back': [TrashIcon, 'plain'],
  create: [PlusCircleIcon, 'good'],
  update: [PencilIcon, 'warn'],
  keep: [CheckCircleIcon, 'plain'],
  skip: [SkipIcon, 'plain'],
  retract: [TrashIcon, 'bad'],
  conflict: [AlertIcon, 'bad'],
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
