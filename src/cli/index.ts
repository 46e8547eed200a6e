export { askPerson } from './ask-person.ts';
export { EXIT, makeUsage, type Command, type Terminal } from './command.ts';
export { COMMANDS, runCli } from './run-cli.ts';
export { makeAdminApi, type AdminApi } from './admin-api.ts';
export { demo } from './demo-command.ts';
export { parseOptions } from './parse-options.ts';
export { makeBar } from './progress.ts';
export { runUntilStopped, unlessStopped } from './run-until-stopped.ts';
