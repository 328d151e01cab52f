import { type JsonListener, scanJsonInSteps, type ScanLimits } from './scan.ts'

/** The members to read, whose names are ASCII without backslashes: `true` for a string, number, boolean or null, or the members of an object. */
export interface Wanted {
  readonly [name: string]: true | Wanted
}

export type Picked = Record<string, unknown>

/** Longer scalars are read as null. */
const maxScalarBytes = 16_384
/** Names with escapes have at most six bytes for a character. */
const maxKeyBytes = 1_024

/** A member that was found: the position of its value, its members, or null for a value of another kind. */
type Found = { start: number; end: number } | Map<string, Found> | null

interface Frame {
  wanted: Wanted
  names: readonly string[]
  into: Map<string, Found>
  /** The name of the current member, if it is wanted. */
  name: string | undefined
}

/**
 * Reads some members of a JSON object, however large and whatever the rest is. Checks that all of it is JSON. A member of
 * another kind than wanted is null.
 *
 * @returns undefined if the text is not an object
 * @throws JsonProblem
 */
export async function pickMembers(
  bytes: Buffer,
  wanted: Wanted,
  limits: Pick<ScanLimits, 'maxDepth'>,
): Promise<Picked | undefined> {
  const frames: (Frame | undefined)[] = []
  let root: Map<string, Found> | undefined
  const enter = (depth: number, wanted: Wanted | undefined) => {
    const into = wanted && new Map<string, Found>()
    frames[depth] = wanted && into && { wanted, names: Object.keys(wanted), into, name: undefined }
    return into
  }
  const listener: JsonListener = {
    maxDepth: depthOf(wanted),
    key(depth, start, end) {
      const frame = frames[depth]
      if (frame) frame.name = nameIn(frame.names, bytes, start, end)
    },
    scalar(depth, start, end) {
      const frame = frames[depth]
      if (frame?.name === undefined) return
      const isRead = frame.wanted[frame.name] === true && end - start <= maxScalarBytes
      frame.into.set(frame.name, isRead ? { start, end } : null)
    },
    open(depth, _, isObject) {
      if (depth === 0) {
        root = enter(1, isObject ? wanted : undefined)
        return
      }
      const frame = frames[depth]
      const inner = frame?.name === undefined ? undefined : frame.wanted[frame.name]
      const into = enter(depth + 1, isObject && inner !== true ? inner : undefined)
      if (frame?.name !== undefined) frame.into.set(frame.name, into ?? null)
    },
    close: () => undefined,
  }
  await scanJsonInSteps(bytes, limits, listener)
  // Only now, because a name may occur a million times.
  const valueOf = (found: Found): unknown => {
    if (found instanceof Map) return objectOf(found)
    return found && JSON.parse(bytes.toString('utf8', found.start, found.end))
  }
  const objectOf = (members: Map<string, Found>): Picked =>
    Object.fromEntries([...members].map(([name, found]) => [name, valueOf(found)]))
  return root && objectOf(root)
}

/** Compares bytes, because making a text of every name in a delivery takes longer than all else here. */
function nameIn(names: readonly string[], bytes: Buffer, start: number, end: number): string | undefined {
  for (const name of names) if (isPlain(name, bytes, start, end)) return name
  if (end - start > maxKeyBytes || !hasEscape(bytes, start, end)) return undefined
  const name = keyAt(bytes, start, end)
  return name !== undefined && names.includes(name) ? name : undefined
}

/** Whether a key is this name, written in ASCII and without escapes. */
function isPlain(name: string, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start - 2) return false
  for (let index = 0; index < name.length; index++) {
    if (name.charCodeAt(index) !== bytes[start + 1 + index]) return false
  }
  return true
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return true
  return false
}

const backslash = 0x5c

/** Returns the name of a member; undefined for very long names. */
export function keyAt(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > maxKeyBytes) return undefined
  const text = bytes.toString('utf8', start, end)
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}

/** Containers within each other. Every delivery asks for the same members. */
function depthOf(wanted: Wanted): number {
  const known = depths.get(wanted)
  if (known !== undefined) return known
  const inner = Object.values(wanted).map((one) => (one === true ? 0 : depthOf(one)))
  const depth = 1 + Math.max(0, ...inner)
  depths.set(wanted, depth)
  return depth
}

const depths = new WeakMap<Wanted, number>()
