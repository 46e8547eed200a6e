/** How one part tells others that something has happened, without either knowing the other. */
export interface Signal<T = void> {
  emit(value: T): void;
  /** Heard from now on, in the order in which listeners came. */
  on(listener: (value: T) => void): void;
}

export function makeSignal<T = void>(): Signal<T> {
  const listeners: ((value: T) => void)[] = [];
  return {
    emit: (value) => {
      for (const listener of listeners) listener(value);
    },
    on: (listener) => void listeners.push(listener),
  };
}
