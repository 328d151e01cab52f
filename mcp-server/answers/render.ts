import { fence } from '../../client/sanitize.ts'

/** Output fields with code or program output, which are fenced even where they have one line. */
const fenced = new Set(['answer', 'code', 'example_code', 'lines', 'log', 'output', 'payload', 'rerunCommand'])

type Field = readonly [name: string, value: unknown]

/** The place of a list in the whole list, which the line above its rows shows. */
export interface ListPlace {
  name: string
  offset: number
  total: number | undefined
}

/**
 * Writes fields as lines, in the order of the output schema: a field per line, a list of objects as rows below the names of
 * its columns, code in a fence. Every value of the facts appears in the text.
 */
export function renderFields(fields: readonly Field[], page?: ListPlace, indent = ''): string[] {
  return fields.flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const label = `${indent}${name}${page?.name === name ? placeOf(page, value) : ''}`
    if (isFenced(name, value)) {
      const text = typeof value === 'string' ? value : value.join('\n')
      return text === '' ? [] : [`${label}:`, fence(text)]
    }
    if (isRows(value)) return renderRows(label, value, indent)
    if (isObject(value) && !Object.values(value).every(isScalar)) {
      return [`${label}:`, ...renderFields(Object.entries(value), undefined, `${indent}  `)]
    }
    return [`${label}: ${inline(value)}`]
  })
}

function renderRows(label: string, rows: readonly object[], indent: string): string[] {
  const isCell = ([name, value]: Field) => !isFenced(name, value) && !isRows(value)
  const columns = new Set(rows.flatMap((row) => Object.entries(row).filter(isCell)).flatMap(nameWhereSet))
  return [
    `${label}: ${[...columns].join(' | ')}`,
    ...rows.flatMap((row) => {
      const values = new Map(Object.entries(row))
      const names = [...columns]
      const end = names.findLastIndex((name) => isSet(values.get(name))) + 1
      const cells = names.slice(0, end).map((name) => cell(values.get(name)))
      const below = Object.entries(row).filter((field) => !isCell(field))
      return [`${indent}- ${cells.join(' | ')}`.trimEnd(), ...renderFields(below, undefined, `${indent}  `)]
    }),
  ]
}

/** Returns a value for a row, in which text cannot end its cell. */
const cell = (value: unknown) => inline(value).replaceAll('|', '\\|')

/** Returns a value in one line. */
function inline(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (Array.isArray(value)) {
    const items = value.map(inline)
    if (!items.some((item) => /[\s,]/.test(item))) return items.join(', ') || 'none'
    return items.map((item) => (item.includes(';') ? JSON.stringify(item) : item)).join('; ')
  }
  if (!isObject(value)) return (typeof value === 'string' ? value : JSON.stringify(value)) || '(empty)'
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined && one !== null)
  return pairs.map(([name, one]) => `${name} ${inline(one)}`).join(', ') || 'none'
}

/** How many of all items a list shows, and where it begins. */
function placeOf({ offset, total }: ListPlace, items: unknown): string {
  const count = Array.isArray(items) ? items.length : undefined
  const parts = [
    count !== undefined && total !== undefined && `${count} of ${total}`,
    offset > 0 && `from offset ${offset}`,
  ].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

const isSet = (value: unknown) => value !== undefined && value !== null

const nameWhereSet = ([name, value]: Field) => (isSet(value) ? [name] : [])

const isFenced = (name: string, value: unknown): value is string | unknown[] =>
  typeof value === 'string'
    ? fenced.has(name) || /\n|```|~~~/.test(value)
    : fenced.has(name) && Array.isArray(value) && value.every(isScalar)

const isRows = (value: unknown): value is object[] => Array.isArray(value) && value.some(isObject)

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isScalar = (value: unknown) => typeof value !== 'object' || value === null
