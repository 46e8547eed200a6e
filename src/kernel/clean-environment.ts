/**
 * What libraries read from the environment by themselves, and what becomes of it. Under DEBUG they print whole
 * addresses, with secrets and search values; the others change how they connect or what they answer past our settings.
 */
const IGNORED = [
  /^DEBUG(_|$)/i,
  /^DIAGNOSTICS$/,
  /^(NO|TRACE)_DEPRECATION$/,
  /^READABLE_STREAM$/,
  /^UNDICI_/,
  /^PG[A-Z_]*$/,
  /^NODE_PG_/,
];

/** Node itself reads these, some before the first line of ours, so that they cannot be taken back. */
const REFUSED: readonly {
  readonly name: string;
  readonly isMeant: (value: string) => boolean;
  readonly why: string;
}[] = [
  {
    name: 'NODE_DEBUG',
    isMeant: (value) => value !== '',
    why: 'Node would print addresses and headers, with secrets and patient data',
  },
  {
    name: 'NODE_DEBUG_NATIVE',
    isMeant: (value) => value !== '',
    why: 'Node would print what it does with connections',
  },
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    isMeant: (value) => value === '0',
    why: "nobody's certificate would be checked; for an authority of your own give CHARTGATE_EHR_TLS_CA_FILE or NODE_EXTRA_CA_CERTS",
  },
];

/**
 * At the door of the process, before any library is loaded: takes out of `env` what is not for us. The answer: the
 * names of what was ignored, and a sentence for each that the process cannot start with.
 */
export function cleanEnvironment(env: Record<string, string | undefined>): {
  readonly ignored: readonly string[];
  readonly refused: readonly string[];
} {
  const ignored = Object.keys(env).filter((name) => IGNORED.some((one) => one.test(name)));
  for (const name of ignored) Reflect.deleteProperty(env, name);
  // Anything else makes Express and Koa talkative.
  env['NODE_ENV'] = 'production';
  const refused = REFUSED.filter(({ name, isMeant }) => isMeant(env[name] ?? '')).map(
    ({ name, why }) => `Unset ${name}: with it ${why}.`,
  );
  return { ignored, refused };
}
