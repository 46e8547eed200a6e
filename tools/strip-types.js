// jest's transformer: the types go, the lines stay, as Node itself does it.
import { stripTypeScriptTypes } from 'node:module';

export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
