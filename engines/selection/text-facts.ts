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
/** `require` under another name, or not called as usual. */
const otherName = /= ?require(?![\w$]| ?[(.?])|\brequire ?(?:\?\.|\)\(|\.(?:call|apply|bind)\b)|\bimport_module as\b/
/** Always by computed names. */
const computed =
  /\bspec_from_file_location\b|\brunpy\.|\bpkgutil\.|\bentry_points\(|\bimport\.meta\.glob|\brequire\.context/
const listing =
  /readdir|opendir|\bglob|scandir|listdir|\biterdir|\brglob|os\.walk|WalkDir|ReadDir|filepath\.Walk|filepath\.Glob|import\.meta\.glob|require\.context/i

/** Reads a source file in linear time, whatever its language. */
export function textFactsOf(text: string): TextFacts {
  const { literals, isCut } = literalsOf(text)
  return {
    literals,
    ...(isCut && { isCut }),
    ...((computed.test(text) ||
      otherName.test(text) ||
      makesLoader(text) ||
      loading.some((name) => isComputed(text, name))) && {
      loadsByName: true,
    }),
    ...(listing.test(text) && { listsFolders: true }),
  }
}

/** Whether `createRequire` makes a function with another name than `require`. */
function makesLoader(text: string): boolean {
  const call = 'createRequire('
  for (let at = text.indexOf(call); at !== -1; at = text.indexOf(call, at + call.length)) {
    if (!/\brequire ?= ?(?:\w{1,30}\.)?$/.test(text.slice(Math.max(0, at - maxNameLength), at))) return true
  }
  return false
}

/** Whether the argument of one of these calls is no plain text. */
function isComputed(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
    if (/[\w$]/.test(text[at - 1] ?? ' ')) continue
    const after = text.slice(at + name.length, at + name.length + maxLength).trimStart()
    // Python's `from module import (name)`.
    if (!after.startsWith('(') || /\bfrom\s+\S+\s+$/.test(text.slice(Math.max(0, at - maxLength), at))) continue
    const argument = withoutComment(after.slice(1).trimStart())
    const [quote = ')'] = argument
    if (!['"', "'", '`', ')', '/'].includes(quote)) return true
    const end = argument.indexOf(quote, 1)
    if (quote === ')' || quote === '/' || end === -1) continue
    if (quote === '`' && argument.slice(1, end).includes('${')) return true
    const [next = ')'] = withoutComment(argument.slice(end + 1).trimStart())
    if (next === '+' || next === '%' || next === '.') return true
  }
  return false
}

/** Bundlers read comments before the name. */
function withoutComment(argument: string): string {
  const closing = argument.startsWith('/*') ? '*/' : argument.startsWith('//') ? '\n' : null
  const end = closing === null ? -1 : argument.indexOf(closing)
  return end === -1 ? argument : withoutComment(argument.slice(end + (closing?.length ?? 0)).trimStart())
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
