export {
  makeSender,
  type Counts,
  type FindTarget,
  type GivenUp,
  type Hook,
  type Outgoing,
  type Sender,
} from './make-sender.ts';
export { RETRY_WAITS_MS } from './retry.ts';
export { signDelivery } from './sign.ts';
