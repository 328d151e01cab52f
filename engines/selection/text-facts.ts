/** What the text of a file says of others, besides its imports. */
export interface TextFacts {
  /** Texts in quotes without white space: names of files, folders and modules among others. */
  literals: readonly string[]
  /** It loads modules whose names it computes. */
  loadsByName?: true
  /** Nothing tells the folder of some of them. */
  loadsAnywhere?: true
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
const loading =
  'require import import.defer import.source importActual importMock requireActual requireMock Module._load ssrLoadModule tsImport jiti proxyquire importScripts import_module __import__ import_string importorskip find_spec'.split(
    ' ',
  )
/** A loader under another name, or not called as usual. */
const otherName =
  /= ?require(?![\w$]| ?[(.?])|\brequire ?(?:\?\.|\)\(|\.(?:call|apply|bind)\b)|\bmodule\.require(?![\w$]| ?\()|\beval\(['"]require|\bcreateRequire as\b|[=?:|&.] ?createRequire(?![\w$]| ?\()|\bimport_module as\b|['"]import_module['"]/
/** Always by computed names. */
const computed =
  /\bspec_from_file_location\b|\bSourceFileLoader\b|\bload_source\(|\bload_module\(|\bexec\((?:open|compile)\(|\bpydoc\.locate\b|\bloadTestsFromName|\brunpy\b|\bpkgutil\b|\bentry_points? ?\(|\bload_entry_point\b|\bimport\.meta\.glob|\brequire\.context/
const listing =
  /readdir|opendir|\bglob|scandir|listdir|\biterdir|\brglob|os\.walk|WalkDir|ReadDir|filepath\.Walk|filepath\.Glob|import\.meta\.glob|require\.context/i

/** Reads a source file in linear time, whatever its language. */
export function textFactsOf(text: string): TextFacts {
  const { literals, isCut } = literalsOf(text)
  const names = loading.flatMap((name) => [...computedNames(text, name)])
  const isHandedOut =
    otherName.test(text) ||
    makesLoader(text) ||
    ['require', 'import_module', '__import__'].some((name) => isHandedOn(text, name))
  const isAnywhere = isHandedOut || (!text.includes('__dirname') && names.some((name) => !placed.test(name)))
  return {
    literals,
    ...(isCut && { isCut }),
    ...((isHandedOut || names.length > 0 || computed.test(text)) && { loadsByName: true }),
    ...(isAnywhere && { loadsAnywhere: true }),
    ...(listing.test(text) && { listsFolders: true }),
  }
}

/** The beginning of a computed name that tells a folder. */
const placed = /^['"`]\.{1,2}\/|\bimport\.meta\b/

/** Whether `createRequire` makes a function with another name than `require`. */
function makesLoader(text: string): boolean {
  const call = 'createRequire'
  for (const at of placesOf(text, call)) {
    if (!afterName(text, at + call.length).startsWith('(')) continue
    if (!/\brequire ?= ?(?:\w{1,30}\.)?$/.test(text.slice(Math.max(0, at - maxNameLength), at))) return true
  }
  return false
}

/** Whether the function is passed to others or gets another name, in place of being called. */
function isHandedOn(text: string, name: string): boolean {
  for (const at of placesOf(text, name)) {
    const before = text.slice(Math.max(0, at - maxNameLength), at).trimEnd()
    if (!/(?:[=([,{?:|&>.]|\breturn)$/.test(before) || /\bfunction ?\w{0,30}\($/.test(before)) continue
    if (name === 'require' && /(?<!\bmodule)\.$/.test(before)) continue
    const isLast =
      !before.endsWith(',') && /^[^\S\n]*(?:\n|$)/.test(text.slice(at + name.length, at + name.length + maxLength))
    const [next = ';'] = afterName(text, at + name.length)
    if (isLast || ',;)]}'.includes(next) || (next === ':' && before.endsWith('?'))) return true
  }
  return false
}

/** The arguments of these calls that are no plain text, and what follows. */
function* computedNames(text: string, name: string): Iterable<string> {
  for (const at of placesOf(text, name)) {
    const after = afterName(text, at + name.length)
    const call = after.startsWith('<') ? after.slice(after.indexOf('>(') + 1) : after
    // Python's `from module import (name)`.
    if (!call.startsWith('(') || /\bfrom\s+\S+\s+$/.test(text.slice(Math.max(0, at - maxLength), at))) continue
    const argument = withoutComment(call.slice(1).trimStart())
    const [quote = ''] = argument
    if (quote === ')') continue
    const end = argument.indexOf(quote, 1)
    if (!['"', "'", '`'].includes(quote)) yield argument
    else if (end !== -1) {
      const [next = ')'] = withoutComment(argument.slice(end + 1).trimStart())
      // In Python, the second argument decides as well.
      const isWhole = next === ')' || (next === ',' && name !== '__import__' && !/^['"]\.\w/.test(argument))
      if (!isWhole || (quote === '`' && argument.slice(1, end).includes('${'))) yield argument
    }
  }
}

/** Finds a whole word. */
function* placesOf(text: string, name: string): Iterable<number> {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length))
    if (!/[\w$]/.test(text[at - 1] ?? ' ') && !/[\w$]/.test(text[at + name.length] ?? ' ')) yield at
}

const afterName = (text: string, end: number) => withoutComment(text.slice(end, end + maxLength).trimStart())

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
