const marker = '[MOCK RESPONSE]'

/** Nobody shall take the mock's texts for a model's. */
export const marked = (text: string) => `${marker} ${text}`
