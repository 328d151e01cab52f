/** What the text of a file says of others, besides its imports. */
export interface TextFacts {
  /** Texts in quotes without white space: names of files, folders and modules among others. */
  literals: readonly string[]
  /** It loads modules whose names it computes. */
  loadsByName?: true
  /** It lists folders. */
  listsFolders?: true
}

const maxLength = 200
/** Of literals without a dot or slash, which can only name folders and programs. */
const maxNameLength = 40
const maxLiterals = 3_000

/** Calls whose argument is a module. */
const loading = ['require(', 'import(', 'import_module(', '__import__(']
/** Always by computed names. */
const computed =
  /\bspec_from_file_location\b|\brunpy\.|\bpkgutil\.|\bentry_points\(|\bimport\.meta\.glob|\brequire\.context/
const listing =
  /readdir|opendir|\bglob|scandir|listdir|\biterdir|\brglob|os\.walk|WalkDir|ReadDir|filepath\.Walk|filepath\.Glob|import\.meta\.glob|require\.context/i

/** Reads a source file in linear time, whatever its language. */
export function textFactsOf(text: string): TextFacts {
  return {
    literals: literalsOf(text),
    ...((computed.test(text) || loading.some((call) => isComputed(text, call))) && { loadsByName: true }),
    ...(listing.test(text) && { listsFolders: true }),
  }
}

/** Whether the argument of one of these calls is no plain text. */
function isComputed(text: string, call: string): boolean {
  for (let at = text.indexOf(call); at !== -1; at = text.indexOf(call, at + call.length)) {
    if (/[\w$]/.test(text[at - 1] ?? ' ')) continue
    const argument = text.slice(at + call.length, at + call.length + maxLength).trimStart()
    const [quote = ')'] = argument
    if (quote === '`' && argument.slice(1).split('`', 1).join('').includes('${')) return true
    // A comment between belongs to bundlers; what follows is seldom computed.
    if (!['"', "'", '`', ')', '/'].includes(quote)) return true
  }
  return false
}

/** Each quote both ends a literal and begins the next one, because the text is not parsed. */
function literalsOf(text: string): string[] {
  const found = new Set<string>()
  let start = -1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= 32) start = -1
    else if (code === 39 || code === 34 || code === 96) {
      if (start !== -1 && at > start && at - start <= maxLength) found.add(text.slice(start, at))
      if (found.size >= maxLiterals) break
      start = at + 1
    }
  }
  return [...found].filter(
    (literal) => /[\p{L}\p{N}]/u.test(literal) && (literal.length <= maxNameLength || /[./]/.test(literal)),
  )
}
