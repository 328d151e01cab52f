/** What Postgres refuses in a text: NUL and lone surrogates. An escaped backslash is looked at so that it is stepped over. */
const refused = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/** The value as JSON that the database takes and that every receiver can read. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(refused, (escape) => (escape === '\\\\' ? escape : '\ufffd'))
}
