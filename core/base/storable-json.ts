/** The escapes of NUL and of surrogates; JSON.stringify escapes only lone surrogates. Literal backslashes match too. */
const mayBeRefused = /\\u(?:0000|d[89a-f])/

/** Returns the value as JSON that Postgres accepts: it refuses NUL and lone surrogates. Both become U+FFFD. */
export function storableJson(value: unknown): string {
  return storableJsonText(JSON.stringify(value))
}

/** Does the same for JSON text of JSON.stringify, and parses it only if a character in it may need replacing. */
export function storableJsonText(json: string): string {
  return mayBeRefused.test(json) ? JSON.stringify(withoutRefused(JSON.parse(json))) : json
}

function withoutRefused(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(withoutRefused)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), withoutRefused(inner)]))
}

const storableText = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed()
