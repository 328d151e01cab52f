const marker = '[MOCK RESPONSE]'

/** Marks a text, so that readers do not take it for the answer of a model. */
export const marked = (text: string) => `${marker} ${text}`
