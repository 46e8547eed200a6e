/** Case and leading zeros are kept: 0012 and 12 are two patients. What nobody can see would make two that look alike. */
export const isMrn = (text: string): boolean =>
  text.length >= 1 && text.length <= 64 && !/[\p{Cc}\p{Cf}]/u.test(text) && text.trim() === text;

/** As the envelope of a delivery has them. */
export const isUserId = (text: string): boolean => text.length >= 1 && text.length <= 50 && !/\p{Cc}/u.test(text);
export const isClientUuid = (text: string): boolean => text.length >= 1 && text.length <= 100 && !/\p{Cc}/u.test(text);

/** A sentence for whoever asks later why this user is that patient. */
export const isEvidence = (text: string): boolean => text.length <= 500 && !/\p{Cc}/u.test(text);
