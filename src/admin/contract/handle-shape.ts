/** What a handle stands for: an MRN, or a user of the source. */
export type Handled = 'mrn' | 'user';
export const HANDLE_PREFIX: Readonly<Record<Handled, string>> = { mrn: '~m.', user: '~u.' };
/** So many values of each kind are named in one request. */
export const HANDLES_AT_ONCE = 200;

/** Of the shortest one, behind its prefix. An MRN has at most 64 characters and a user 50: neither is one by chance. */
const SHORTEST = 64;

/** Whether a text is written as a handle; only the gateway that made it can tell of what. */
export const isHandle = (text: string): boolean => /^~[mu]\./.test(text) && text.length >= SHORTEST + 3;
