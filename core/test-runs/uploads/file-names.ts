import { extname } from 'node:path/posix'
import { FileName } from '../../files/schema.ts'

const maxNameLength = 400

/**
 * A name of a file as it came, made one that can be stored: folders are kept, so that the parts of a report find each
 * other, and what leads out of them is not.
 */
export function storableName(given: string): string {
  const name = given
    .toWellFormed()
    .replace(/[\p{Cc}\uFFFD]/gu, '_')
    .split(/[/\\]/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..' && !/^[A-Za-z]:$/.test(segment))
    .join('/')
  const short = name.length <= maxNameLength ? name : cutAtStart(name)
  return FileName.safeParse(short).success ? short : 'file'
}

/** The end of a name tells more than its beginning. Cutting may part a surrogate pair, of which the half goes. */
const cutAtStart = (name: string) => name.slice(-maxNameLength).replace(/^[\uDC00-\uDFFF]?\/*/, '')

/** `name`, or with the first number that nobody has: `junit-2.xml`. It is then taken. */
export function freeName(name: string, taken: Set<string>): string {
  const end = extname(name)
  const start = name.slice(0, name.length - end.length)
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${start}-${number}${end}`
  taken.add(free)
  return free
}
