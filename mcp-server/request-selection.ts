import type { IncomingHttpHeaders } from 'node:http'
import { readSelection, type Selection, type SelectionKey, selectionKeys, within } from './selection.ts'

export type RequestSelection =
  | { selection: Selection; problem?: undefined }
  | { selection?: undefined; problem: string }

const headerOf = (key: string) => `x-svc-${key.replaceAll('_', '-')}`

const keys = Object.keys(selectionKeys) as SelectionKey[]

/** Returns the choice of an HTTP request, from `X-Svc-*` headers or the query, within the operator's choice. */
export function selectionOfRequest(headers: IncomingHttpHeaders, query: string, operator: Selection): RequestSelection {
  const chosen = [...new URLSearchParams(query)].map(([name, value]) => ({ name, value, key: name, shown: name }))
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith('x-svc-')) continue
    chosen.push({ name, value: String(value), key: name.slice('x-svc-'.length).replaceAll('-', '_'), shown: name })
  }
  if (chosen.length === 0) return { selection: operator }
  const given: Partial<Record<SelectionKey, string>> = {}
  const names: Partial<Record<SelectionKey, string>> = {}
  for (const { key, value, shown } of chosen) {
    const known = keys.find((one) => one === key)
    if (!known) return { problem: `${printable(shown)} is unknown. Valid are ${knownNames}.` }
    if (known in given) return { problem: `${printable(shown)} is given twice.` }
    given[known] = value
    names[known] = shown
  }
  const { selection, problems } = readSelection(given, (key) => names[key] ?? key)
  if (!selection) return { problem: `${problems.join('; ')}.` }
  const bounded = within(operator, selection)
  return bounded ? { selection: bounded } : { problem: 'This server is confined to another project.' }
}

const knownNames = `${keys.join(', ')} in the query, and ${keys.map(headerOf).join(', ')} as headers`

const printable = (name: string) => name.replaceAll(/[^\w-]/g, '?').slice(0, 60)
