import { runTool, type Ran } from './run-tool.ts';

const JAVA_MIN = 17;
const INSTALL = 'Debian and Ubuntu have both: apt-get install openjdk-17-jdk-headless maven';

/** The major version in what `java -version` or `javac -version` says; null where it says none. */
export function majorOf(said: string): number | null {
  const [, first, second] = /(?:version "|javac )(\d+)(?:\.(\d+))?/.exec(said) ?? [];
  // Before 9 it was called 1.8.
  const major = first === '1' ? second : first;
  return major === undefined ? null : Number(major);
}

/** What stands in the way, in a sentence; null where everything is there. */
export async function checkTools(
  run: (program: string, args: readonly string[]) => Promise<Ran> = (program, args) => runTool(program, args),
): Promise<string | null> {
  const [java, javac, mvn] = await Promise.all([
    run('java', ['-version']),
    run('javac', ['-version']),
    run('mvn', ['--version']),
  ]);
  const missing = [
    ...(java.code === 0 ? [] : ['java']),
    ...(javac.code === 0 ? [] : ['javac']),
    ...(mvn.code === 0 ? [] : ['mvn']),
  ];
  if (missing.length > 0)
    return `HAPI needs a JDK of Java ${JAVA_MIN} or later (java, javac) and Maven (mvn). Not found: ${missing.join(', ')}. ${INSTALL}`;
  for (const [name, { text }] of [
    ['java', java],
    ['javac', javac],
  ] as const) {
    const major = majorOf(text);
    if (major === null || major < JAVA_MIN)
      return `HAPI needs Java ${JAVA_MIN} or later; ${name} is ${major === null ? 'of an unknown version' : `Java ${major}`}. ${INSTALL}`;
  }
  return null;
}
