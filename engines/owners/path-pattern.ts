/** Stands for any number of folders, also none. */
const anyFolders = Symbol('**')
/** Stands for any number of characters, also none. */
const anyText = Symbol('*')
/** Stands for one character. */
const anyCharacter = Symbol('?')

/** A name with wildcards. */
interface NamePattern {
  characters: readonly (string | symbol)[]
  /** What follows the last wildcard: most names differ there. */
  end: string
}

type Name = string | NamePattern

/** The names that a path must consist of. */
export interface PathPattern {
  names: readonly (Name | symbol)[]
  /**
   * A part of every path that matches, by which patterns are looked up. With a leading slash it is the beginning of the
   * path, otherwise one of its names. Empty if no part is without wildcards.
   */
  key: string
}

/** A path with what is looked up of it. */
export interface SplitPath {
  names: readonly string[]
  /** The characters of each name. */
  characters: readonly (readonly string[])[]
  /** How many comparisons are left. */
  budget: { left: number }
}

/**
 * Reads the pattern of a rule. A backslash escapes the next character. `*` and `?` do not match slashes. A pattern matches
 * the file with its path and all files in the folder with its path. A trailing slash excludes the file, and a trailing
 * `/*` excludes files in subfolders.
 *
 * @param anywhere - whether a pattern with a slash in the middle matches in every folder. A pattern without one always does.
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
      ? [{ characters: [anyText], end: '' }, anyFolders]
      : parts.at(-1) === '*' && !inEveryFolder
        ? []
        : [anyFolders]
  if (!inEveryFolder) return { names: [...names, ...end], key: keyOf(names) }
  return { names: [anyFolders, ...names, ...end], key: keyOf([anyFolders, ...names]) }
}

/**
 * Splits a path into what {@link matchesPath} and {@link keysOf} need, once for all patterns.
 *
 * @param budget - the comparisons that the patterns may take together
 */
export function splitPath(path: string, budget: { left: number }): SplitPath {
  const names = path.split('/')
  return { names, characters: names.map((name) => Array.from(name)), budget }
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

/**
 * Returns whether a pattern matches. The number of comparisons is at most the product of both lengths. Once the path has
 * no more of them, nothing matches.
 */
export function matchesPath(pattern: PathPattern, path: SplitPath): boolean {
  return matchesWithStars(pattern.names, path.names.length, anyFolders, path.budget, (name, at) => {
    if (typeof name === 'string') return name === path.names[at]
    return typeof name === 'object' && matchesName(name, path, at)
  })
}

function matchesName(name: NamePattern, path: SplitPath, at: number): boolean {
  if (!path.names[at]?.endsWith(name.end)) return false
  const characters = path.characters[at] ?? []
  return matchesWithStars(
    name.characters,
    characters.length,
    anyText,
    path.budget,
    (wanted, index) => wanted === anyCharacter || wanted === characters[index],
  )
}

/**
 * Matches elements with a pattern in which a star stands for any number of them. After a mismatch, the last star takes one
 * element more. Earlier stars need not: the last one can take what they would take.
 */
function matchesWithStars<Part>(
  pattern: readonly Part[],
  count: number,
  star: Part,
  budget: { left: number },
  isMatch: (part: Part, index: number) => boolean,
): boolean {
  let [place, index, lastStar, tried] = [0, 0, -1, 0]
  while (index < count) {
    if (--budget.left < 0) return false
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
  const wildcard = parts.findLastIndex((part) => typeof part === 'symbol')
  const end = parts.slice(wildcard + 1).join('')
  // A name without wildcards is compared at once.
  return wildcard < 0 ? end : { characters: parts, end }
}

function keyOf(names: readonly (Name | symbol)[]): string {
  let folder = ''
  for (const name of names) {
    if (typeof name !== 'string') break
    folder += `/${name}`
  }
  return folder === '' ? (names.find((name) => typeof name === 'string') ?? '') : folder
}
