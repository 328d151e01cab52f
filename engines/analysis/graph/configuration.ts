import { parse as parseToml } from 'smol-toml'
import { parse as parseJsonc } from 'jsonc-parser'
import { baseName } from './paths.ts'

const names = new Set(['package.json', 'composer.json', 'go.mod', 'Cargo.toml', 'pyproject.toml'])

/** Whether resolution wants the text of this file: manifests, and the configuration of module paths. */
export function isGraphManifest(path: string): boolean {
  const name = baseName(path)
  return names.has(name) || /^(?:[tj]sconfig(?:\..+)?\.json)$/.test(name)
}

export type Fields = Record<string, unknown>

/** A JSON object, comments and trailing commas allowed. Undefined when the text is anything else. */
export function readJson(text: string | undefined): Fields | undefined {
  if (text === undefined) return undefined
  try {
    // Most files have no comments, and are read many times faster without looking for them.
    return fields(JSON.parse(text))
  } catch {
    return readJsonWithComments(text)
  }
}

function readJsonWithComments(text: string): Fields | undefined {
  try {
    return fields(parseJsonc(text, [], { allowTrailingComma: true }))
  } catch (error) {
    // Nesting without end overflows the parser's stack; such a file configures nothing.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A TOML table. Undefined when the text is not TOML: a broken manifest only means less resolution. */
export function readToml(text: string | undefined): Fields | undefined {
  if (text === undefined) return undefined
  try {
    return parseToml(text)
  } catch {
    return undefined
  }
}

export function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** A property of its own, so that `__proto__` and `constructor` are ordinary keys. */
export function property(object: Fields | undefined, key: string): unknown {
  return object && Object.hasOwn(object, key) ? object[key] : undefined
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** All texts in a value, such as the targets of `exports`. `isWhole` is false where there are more than `max`. */
export function textsInside(value: unknown, max: number): { found: string[]; isWhole: boolean } {
  const open: unknown[] = [value]
  const found: string[] = []
  for (const next of open) {
    if (open.length > max) return { found, isWhole: false }
    if (typeof next === 'string') found.push(next)
    else open.push(...(Array.isArray(next) ? next : Object.values(fields(next) ?? {})).slice(0, max + 1))
  }
  return { found, isWhole: true }
}

export function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}
