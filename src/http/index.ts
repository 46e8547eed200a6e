export { toOutcome, toProblem } from './answer-fault.ts';
export { checkRequest } from './check-request.ts';
export { drainServer } from './drain.ts';
export { listen, makeServer } from './listen.ts';
export { makeApp, type AppDeps } from './make-app.ts';
