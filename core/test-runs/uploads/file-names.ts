import { extname } from 'node:path/posix'
import { FileName } from '../../files/schema.ts'

const maxNameLength = 400

/**
 * Converts the name of an uploaded file to a name that can be stored. Keeps folders, so that the links between the files
 * of a report keep working, but removes `..` and drive letters.
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

/** Keeps the end of a name, which says more than its beginning. A cut may leave half a surrogate pair, which is removed. */
const cutAtStart = (name: string) => name.slice(-maxNameLength).replace(/^[\uDC00-\uDFFF]?\/*/, '')

/** Returns `name`, or the name with the first free number, such as `junit-2.xml`, and adds it to `taken`. */
export function freeName(name: string, taken: Set<string>): string {
  const end = extname(name)
  const start = name.slice(0, name.length - end.length)
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${start}-${number}${end}`
  taken.add(free)
  return free
}
