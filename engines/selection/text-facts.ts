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

const computed =
  /\brequire\(\s{0,20}[^\s'"`)]|\bimport\(\s{0,20}[^\s'"`)/]|\b(?:require|import)\(\s{0,20}`[^`\n]{0,200}\$\{|\bimport_module\(\s{0,20}[^\s'")]|\b__import__\(\s{0,20}[^\s'")]|\bspec_from_file_location\b|\brunpy\.|\bpkgutil\.|\bentry_points\(|\bimport\.meta\.glob|\brequire\.context/
const listing =
  /readdir|opendir|\bglob|scandir|listdir|\biterdir|\brglob|os\.walk|WalkDir|ReadDir|filepath\.Walk|filepath\.Glob|import\.meta\.glob|require\.context/i

/** Reads a source file in linear time, whatever its language. */
export function textFactsOf(text: string): TextFacts {
  return {
    literals: literalsOf(text),
    ...(computed.test(text) && { loadsByName: true }),
    ...(listing.test(text) && { listsFolders: true }),
  }
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
