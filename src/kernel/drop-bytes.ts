const LARGE_BYTES = 8 * 1024;

/** The memory behind a large buffer that shares it with no other; null for all else. */
export const ownMemory = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  byteLength >= LARGE_BYTES && buffer.byteLength === byteLength && 'transfer' in buffer ? buffer : null;

/**
 * Gives that memory back at once. Otherwise it waits for the collector of its thread, which counts objects more than
 * the bytes behind them. Nobody may look at the buffer again.
 */
export const dropBytes = (bytes: Uint8Array): void => void ownMemory(bytes)?.transfer(0);
