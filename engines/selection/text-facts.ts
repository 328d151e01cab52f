/** What the text of a file says of others, besides its imports. */
export interface TextFacts {
  /** Texts in quotes without white space: names of files, folders and modules among others. */
  literals: readonly string[]
  /** It loads modules whose names it computes. */
  loadsByName?: true
  /** It has more literals than are read. */
  isCut?: true
  /** It lists folders. */
  listsFolders?: true
}

const maxLength = 200
/** Of literals without a dot or slash, which can only name folders and programs. */
const maxNameLength = 40
const maxLiterals = 10_000

/** Calls whose argument is a module. */
const loading = ['require', 'import', 'import_module', '__import__']
/** What gives another name to `require`. */
const renaming = /= ?(?:require ?[;\r\n]|(?:module\.)?createRequire ?\()/g
const maxNameOfCall = 60
/** Always by computed names. */
const computed =
  /\bspec_from_file_location\b|\brunpy\.|\bpkgutil\.|\bentry_points\(|\bimport\.meta\.glob|\brequire\.context/
const listing =
  /readdir|opendir|\bglob|scandir|listdir|\biterdir|\brglob|os\.walk|WalkDir|ReadDir|filepath\.Walk|filepath\.Glob|import\.meta\.glob|require\.context/i

/** Reads a source file in linear time, whatever its language. */
export function textFactsOf(text: string): TextFacts {
  const { literals, isCut } = literalsOf(text)
  const names = new Set([...loading, ...otherNames(text)])
  return {
    literals,
    ...(isCut && { isCut }),
    ...((computed.test(text) || [...names].some((name) => isComputed(text, name))) && { loadsByName: true }),
    ...(listing.test(text) && { listsFolders: true }),
  }
}

function* otherNames(text: string): Iterable<string> {
  for (const { index } of text.matchAll(renaming)) {
    const before = text.slice(Math.max(0, index - maxNameOfCall), index).trimEnd()
    const name = before.split(/[^\w$]/).at(-1)
    if (name) yield name
  }
}

/** Whether the argument of one of these calls is no plain text. */
function isComputed(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (/[\w$]/.test(text[at - 1] ?? ' ')) continue
    const after = text.slice(at + name.length, at + name.length + maxLength).trimStart()
    if (!after.startsWith('(')) continue
    const argument = withoutComment(after.slice(1).trimStart())
    const [quote = ')'] = argument
    if (!['"', "'", '`', ')', '/'].includes(quote)) return true
    const end = argument.indexOf(quote, 1)
    if (quote === ')' || quote === '/' || end === -1) continue
    if (quote === '`' && argument.slice(1, end).includes('${')) return true
    const [next = ')'] = argument.slice(end + 1).trimStart()
    if (next === '+' || next === '%' || next === '.') return true
  }
  return false
}

/** Bundlers read comments before the name. */
function withoutComment(argument: string): string {
  const end = argument.startsWith('/*') ? argument.indexOf('*/') : -1
  return end === -1 ? argument : withoutComment(argument.slice(end + 2).trimStart())
}

/** Each quote both ends a literal and begins the next one, because the text is not parsed. */
function literalsOf(text: string): { literals: string[]; isCut: boolean } {
  const found = new Set<string>()
  let start = -1
  let isCut = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= 32) start = -1
    else if (code === 39 || code === 34 || code === 96) {
      if (start !== -1 && at > start && at - start <= maxLength) found.add(text.slice(start, at))
      if (found.size >= maxLiterals) {
        isCut = true
        break
      }
      start = at + 1
    }
  }
  const literals = [...found].filter(
    (literal) => /[\p{L}\p{N}]/u.test(literal) && (literal.length <= maxNameLength || /[./]/.test(literal)),
  )
  return { literals, isCut }
}
