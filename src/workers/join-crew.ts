import cluster, { type Worker } from 'node:cluster';
import type { Peers } from '../kernel/index.ts';
import { makeHearPeers } from './hear-peers.ts';
import type { Answers, FromPrimary, FromWorker, Look, Looks } from './message.ts';

/** The place of a worker among those that serve the same port. */
export interface Seat {
  readonly number: number;
  readonly peers: Peers;
  /** What the primary found out about all of them. */
  ask<W extends Look>(what: W): Promise<Answers[W]>;
  /** How this one answers when the primary asks it. */
  onLook(looks: { readonly [W in Look]: () => Looks[W] | Promise<Looks[W]> }): void;
  /** It takes connections from now on. */
  serves(port: number): void;
  /** Resolves when the primary has been asked to stop. */
  readonly stopped: Promise<'SIGTERM'>;
  onReload(work: () => void): void;
}

function takeSeat(worker: Worker): Seat {
  const peers = makeHearPeers();
  const asked = new Map<number, (value: unknown) => void>();
  let last = 0;
  let looks: Parameters<Seat['onLook']>[0] | null = null;
  let reload: () => void = () => undefined;
  let stop: (why: 'SIGTERM') => void = () => undefined;
  const stopped = new Promise<'SIGTERM'>((resolve) => (stop = resolve));
  const say = (message: FromWorker): void => {
    if (worker.isConnected()) worker.send(message);
  };

  async function look(n: number, what: Look): Promise<void> {
    if (looks !== null) say({ kind: 'found', n, value: await looks[what]() });
  }
  worker.on('message', (message: FromPrimary) => {
    switch (message.kind) {
      case 'told':
        peers.hear(message.topic, message.value);
        break;
      case 'look':
        void look(message.n, message.what);
        break;
      case 'answer':
        asked.get(message.n)?.(message.value);
        asked.delete(message.n);
        break;
      case 'stop':
        stop('SIGTERM');
        break;
      case 'reload':
        reload();
        break;
    }
  });
  say({ kind: 'seated' });

  return {
    number: worker.id,
    peers: {
      tell: (topic, value) => say({ kind: 'tell', topic, value }),
      onTold: peers.on,
    },
    ask: <W extends Look>(what: W) =>
      new Promise<Answers[W]>((resolve) => {
        last += 1;
        asked.set(last, (value) => resolve(value as Answers[W]));
        say({ kind: 'ask', n: last, what });
      }),
    onLook: (given) => void (looks = given),
    serves: (port) => say({ kind: 'serving', port }),
    stopped,
    onReload: (work) => void (reload = work),
  };
}

/** The seat of this process; null where it is no worker. */
export const joinCrew = (): Seat | null => (cluster.worker === undefined ? null : takeSeat(cluster.worker));
