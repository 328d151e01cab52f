import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** An object as a pack holds it; packs made from these need not be ones that git would make. */
export interface PackEntry {
  type: keyof typeof typeNumbers
  /** What is compressed: the object, or the delta. */
  content: Buffer
  /** The object that a delta builds on. */
  base?: string
  /** The size that the entry claims to have; by default the true one. */
  size?: number
}

/** An object with its id. */
export interface PackObject extends PackEntry {
  id: string
}

const typeNumbers = { commit: 1, tree: 2, blob: 3, tag: 4, refDelta: 7 } as const

export function objectOf(type: 'commit' | 'tree' | 'blob' | 'tag', content: string | Buffer): PackObject {
  const bytes = Buffer.from(content)
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
  return { type, content: bytes, id }
}

/** Entries are written in the order given, with any name and mode. */
export const treeOf = (
  ...entries: readonly (readonly [mode: string, name: string, object: { id: string } | string])[]
) =>
  objectOf(
    'tree',
    Buffer.concat(
      entries.flatMap(([mode, name, object]) => [
        Buffer.from(`${mode} ${name}\0`, 'latin1'),
        Buffer.from(typeof object === 'string' ? object : object.id, 'hex'),
      ]),
    ),
  )

export const commitOf = (tree: { id: string }, ...parents: readonly string[]) =>
  objectOf(
    'commit',
    `tree ${tree.id}\n${parents.map((parent) => `parent ${parent}\n`).join('')}` +
      'author A <a@example.com> 1767225600 +0000\ncommitter A <a@example.com> 1767225600 +0000\n\nChange\n',
  )

/** A delta that makes an object of so many copies of the whole base, and then some bytes. */
export function copies(base: { id: string; content: Buffer }, count: number, end: Buffer = Buffer.alloc(0)): PackEntry {
  const { length } = base.content
  const copy: Buffer[] = []
  for (let at = 0; at < length; at += maxCopy) copy.push(copyOf(at, Math.min(maxCopy, length - at)))
  const whole = Buffer.concat(copy)
  const inserted = end.length === 0 ? [] : [Buffer.from([end.length]), end]
  const head = [varint(length), varint(length * count + end.length)]
  const content = Buffer.concat([...head, ...Array.from({ length: count }, () => whole), ...inserted])
  return { type: 'refDelta', base: base.id, content }
}

const maxCopy = 0xff_ffff

/** The instruction with all bytes of the offset and of the length. */
const copyOf = (offset: number, length: number) =>
  Buffer.from([
    0xff,
    offset & 0xff,
    (offset >> 8) & 0xff,
    (offset >> 16) & 0xff,
    (offset >> 24) & 0xff,
    length & 0xff,
    (length >> 8) & 0xff,
    (length >> 16) & 0xff,
  ])

/** A delta that makes the given bytes of a base of the given size. */
export function deltaTo(base: { id: string; size: number }, target: Buffer): PackEntry {
  const inserts: Buffer[] = []
  for (let at = 0; at < target.length; at += 127) {
    const part = target.subarray(at, at + 127)
    inserts.push(Buffer.from([part.length]), part)
  }
  const content = Buffer.concat([varint(base.size), varint(target.length), ...inserts])
  return { type: 'refDelta', base: base.id, content }
}

/** @param announced - the number of objects and the version that the header states, where they are not the true ones */
export function packOf(entries: readonly PackEntry[], announced: { objects?: number; version?: number } = {}): Buffer {
  const header = Buffer.alloc(12)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(announced.version ?? 2, 4)
  header.writeUInt32BE(announced.objects ?? entries.length, 8)
  return sealed(Buffer.concat([header, ...entries.map(packed)]))
}

/** Appends the checksum. */
export const sealed = (pack: Buffer) => Buffer.concat([pack, createHash('sha1').update(pack).digest()])

function packed({ type, content, base, size = content.length }: PackEntry): Buffer {
  const head: number[] = []
  let byte = (typeNumbers[type] << 4) | (size & 15)
  for (let rest = Math.floor(size / 16); ; rest = Math.floor(rest / 128)) {
    head.push(rest > 0 ? byte | 0x80 : byte)
    if (rest === 0) break
    byte = rest % 128
  }
  return Buffer.concat([Buffer.from(head), Buffer.from(base ?? '', 'hex'), deflateSync(content)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    const more = rest >= 128
    bytes.push((rest % 128) | (more ? 0x80 : 0))
    if (!more) return Buffer.from(bytes)
  }
}

/** A small pack that unpacks to 78 GiB, which takes longer than a test may. */
export function slowPack(): Buffer {
  const block = objectOf('blob', Buffer.alloc(16 * 2 ** 20))
  return (slow ??= packOf([block, ...distinctCopies(block, 5_000, 1)]))
}
let slow: Buffer | undefined

/** Deltas that copy the base and add a number. */
export function distinctCopies(base: { id: string; content: Buffer }, count: number, times: number): PackEntry[] {
  return Array.from({ length: count }, (_, index) => copies(base, times, Buffer.from(String(index))))
}
