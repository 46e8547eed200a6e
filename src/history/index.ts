export {
  historySet,
  type Change,
  type Entry,
  type Facts,
  type HistoryReads,
  type HistoryWrites,
  type Noted,
} from './commands.ts';
