/** Stands for any number of folders, also none. */
const anyFolders = Symbol('**')
/** Stands for any number of characters, also none. */
const anyText = Symbol('*')
/** Stands for one character. */
const anyCharacter = Symbol('?')

/** A name, or the characters and wildcards of names. */
type Name = string | readonly (string | symbol)[]

/** The names that a path must consist of. */
export interface PathPattern {
  names: readonly (Name | symbol)[]
  /**
   * What every matching path has, so that most patterns need not be tried: with a slash in front, the path of a folder
   * or file that it lies in or is; without, a name in it. Empty if the pattern has no such part.
   */
  key: string
}

/** A path with what is looked up of it. */
export interface SplitPath {
  names: readonly string[]
  /** The characters of each name. */
  characters: readonly (readonly string[])[]
}

/**
 * Reads the pattern of a rule. A backslash takes the next character as it is. `*` and `?` do not match slashes. A pattern
 * matches a file of its path and all files in a folder of its path; if it ends with a slash only the files in the folder,
 * and if it ends with a name `*` only files directly there.
 *
 * @param anywhere - whether a pattern with a slash in the middle matches in every folder, as one without does
 */
export function readPathPattern(text: string, anywhere: boolean): PathPattern {
  const isRooted = text.startsWith('/')
  const parts = text.slice(isRooted ? 1 : 0).split('/')
  const isFolder = parts.length > 1 && parts.at(-1) === ''
  if (isFolder) parts.pop()
  const inEveryFolder = !isRooted && (anywhere || parts.length === 1)
  const names = parts.map((part) => (part === '**' ? anyFolders : readName(part)))
  const last = names.at(-1)
  const end: (Name | symbol)[] =
    isFolder || last === anyFolders
      ? [[anyText], anyFolders]
      : parts.at(-1) === '*' && !inEveryFolder
        ? []
        : [anyFolders]
  if (!inEveryFolder) return { names: [...names, ...end], key: keyOf(names) }
  return { names: [anyFolders, ...names, ...end], key: keyOf([anyFolders, ...names]) }
}

/** Splits a path into what {@link matchesPath} and {@link keysOf} need, once for all patterns. */
export function splitPath(path: string): SplitPath {
  const names = path.split('/')
  return { names, characters: names.map((name) => Array.from(name)) }
}

/** Returns the keys of all patterns that can match a path. */
export function keysOf({ names }: SplitPath): Set<string> {
  const keys = new Set(['', ...names])
  let folder = ''
  for (const name of names) {
    folder += `/${name}`
    keys.add(folder)
  }
  return keys
}

/** Returns whether a pattern matches, in a time that is at most the product of both lengths. */
export function matchesPath(pattern: PathPattern, path: SplitPath): boolean {
  return matchesWithStars(pattern.names, path.names.length, anyFolders, (name, at) =>
    typeof name === 'string' ? name === path.names[at] : typeof name === 'object' && matchesName(name, path, at),
  )
}

function matchesName(name: readonly (string | symbol)[], path: SplitPath, at: number): boolean {
  const characters = path.characters[at] ?? []
  return matchesWithStars(
    name,
    characters.length,
    anyText,
    (wanted, index) => wanted === anyCharacter || wanted === characters[index],
  )
}

/**
 * Matches elements with a pattern in which a star stands for any number of them. Only the last star is tried with more
 * elements: what an earlier one could take as well, the last one can take too.
 */
function matchesWithStars<Part>(
  pattern: readonly Part[],
  count: number,
  star: Part,
  isMatch: (part: Part, index: number) => boolean,
): boolean {
  let [place, index, lastStar, tried] = [0, 0, -1, 0]
  while (index < count) {
    const part = pattern[place]
    if (part === star) {
      lastStar = place++
      tried = index
    } else if (part !== undefined && isMatch(part, index)) {
      place += 1
      index += 1
    } else if (lastStar < 0) return false
    else {
      place = lastStar + 1
      index = ++tried
    }
  }
  while (pattern[place] === star) place += 1
  return place === pattern.length
}

function readName(text: string): Name {
  const tokens = text.match(/\\?[^]/gu) ?? []
  const parts = tokens.map((token) => {
    if (token === '*') return anyText
    if (token === '?') return anyCharacter
    return token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
  })
  // A name without wildcards is compared at once.
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts
}

function keyOf(names: readonly (Name | symbol)[]): string {
  const end = names.findIndex((name) => typeof name !== 'string')
  const folders = end < 0 ? names : names.slice(0, end)
  if (folders.length > 0) return `/${folders.join('/')}`
  return names.find((name) => typeof name === 'string') ?? ''
}
