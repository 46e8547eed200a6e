export { EXIT, type Command, type Terminal } from './command.ts';
export { COMMANDS, runCli } from './run-cli.ts';
