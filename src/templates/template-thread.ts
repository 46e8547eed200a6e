import { parentPort } from 'node:worker_threads';
import { mapPayload, type Question } from './map-payload.ts';

/** One question at a time: the asker measures the time of each. */
parentPort?.on('message', (question: Question) => {
  void mapPayload(question).then((mapping) => parentPort?.postMessage(mapping));
});
parentPort?.postMessage('ready');
