import { makeUsage, type Command } from './command.ts';
import { LOOK_VERBS, lookAtDeliveries, lookHelp } from './deliveries-look.ts';
import { WORK_VERBS, workHelp, workOnDeliveries } from './deliveries-work.ts';

const help = `${lookHelp}
${workHelp}`;

export const deliveries: Command = {
  name: 'deliveries',
  summary: 'find deliveries of a running gateway, look at one, and do what waits for a person',
  help,
  run(args, terminal) {
    const [verb = ''] = args.filter((one) => !one.startsWith('-'));
    if (LOOK_VERBS.includes(verb)) return lookAtDeliveries(args, terminal);
    if (WORK_VERBS.includes(verb)) return workOnDeliveries(args, terminal);
    return Promise.resolve(makeUsage(terminal, help)(`Say one of ${[...LOOK_VERBS, ...WORK_VERBS].join(', ')}.`));
  },
};
