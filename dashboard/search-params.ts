/** The search parameters of a page: text by name, as in the address. */
export type Given = Record<string, unknown>

/** Reads the query of an address. The first value of a repeated parameter counts. */
export function parseSearch(query: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) found[name] ??= value
  return found
}

/** Writes a query, without parameters that are undefined or empty. */
export function stringifySearch(search: Given): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') query.set(name, value)
    if (typeof value === 'number' || value === true) query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

export function textParam(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 1_000) : undefined
}

export function oneOfParam<const Names extends readonly string[]>(
  value: unknown,
  names: Names,
): Names[number] | undefined {
  return names.find((name) => name === value)
}

export function numberParam(value: unknown): number | undefined {
  const number = typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

export function flagParam(value: unknown): true | undefined {
  return value === true || value === 'true' ? true : undefined
}
