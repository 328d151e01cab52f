import type { Language } from '../../repository/languages.ts'

/** What a signature says of the statement that uses the subject. */
export interface CallShape {
  /** Properties with a getter or setter are read or set like variables. */
  how: 'call' | 'read' | 'set'
  /** Names of the values that a call returns, in languages that return several; undefined for one. */
  results: readonly string[] | undefined
  /** Whether it belongs to the class, so that no object is needed. */
  isStatic: boolean
  /** The parameters of Python that can only be passed by name. */
  keywords: ReadonlySet<string>
}

const maxResults = 6

export function callShape(signature: string | undefined, language: Language): CallShape {
  const text = signature ?? ''
  const results = language === 'go' && text !== '' ? resultsOfGo(text) : undefined
  const isStatic = hasStatic.has(language) && /^(?:[a-z]+ ){0,5}static /.test(text)
  const keywords = language === 'python' ? keywordsOf(text) : new Set<string>()
  return { how: accessOf(text, language), results, isStatic, keywords }
}

const hasStatic = new Set<Language>(['javascript', 'typescript', 'java', 'csharp', 'php'])

/** The names after `*` or `*items`. */
function keywordsOf(signature: string): Set<string> {
  const list = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'))
  const names = partsOf(list).map((part) => /^\**\w*/.exec(part)?.[0] ?? '')
  const from = names.findIndex((name) => /^\*(?!\*)/.test(name))
  return new Set(from < 0 ? [] : names.slice(from + 1))
}

function accessOf(signature: string, language: Language): CallShape['how'] {
  if (language === 'javascript' || language === 'typescript') {
    const [, kind] = /^(?:(?:public|static|override) )*(get|set) (?!\()/.exec(signature) ?? []
    return kind === 'get' ? 'read' : kind === 'set' ? 'set' : 'call'
  }
  if (language === 'python') {
    const [decorator = ''] = /^@\S+/.exec(signature) ?? []
    return decorator.endsWith('.setter') ? 'set' : decorator === '' ? 'call' : 'read'
  }
  return language === 'csharp' && signature !== '' && !/[([]/.test(signature) ? 'read' : 'call'
}

/** `result, err` for a function that returns a value and an error. */
function resultsOfGo(signature: string): string[] | undefined {
  // Receiver, name with type parameters, and parameters are groups; what follows the last is the result.
  const groups = /^func (?:\([^()]*\) )?\w+(?:\[[^\]]*\])?\(/.exec(signature)
  if (!groups) return undefined
  let end = groups[0].length
  for (let depth = 1; depth > 0 && end < signature.length; end += 1) {
    if (signature[end] === '(') depth += 1
    else if (signature[end] === ')') depth -= 1
  }
  const result = signature.slice(end).trim()
  if (result === '') return []
  if (!result.startsWith('(') || !result.endsWith(')')) return undefined
  const types = partsOf(result.slice(1, -1))
  if (types.length === 1 || types.length > maxResults) return undefined
  return types.map((type, index) => {
    if (index === types.length - 1 && /(?:^| )error$/.test(type)) return 'err'
    return index === 0 ? 'result' : `result${index + 1}`
  })
}

/** Splits at the commas that are in no brackets. */
function partsOf(list: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of list) {
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
  }
  return parts.map((part) => part.trim())
}
