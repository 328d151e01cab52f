/**
 * Ruby (Onigmo) regular expressions to JavaScript sources, for the `m` flag: Ruby's `^` and `$` always match at
 * lines. Flags inside a pattern are written out, because Node 22 does not know `(?i:…)`. Possessive quantifiers become
 * greedy ones, which can only match more. What has no counterpart is refused instead of guessed at.
 */
export function translateRuby(pattern: string): string {
  const translation: Translation = { pattern, at: 0, groups: new Map() }
  const source = alternation(translation, { ignoreCase: false, dotAll: false, extended: false })
  if (translation.at < pattern.length) throw unsupported(translation, 'unbalanced )')
  return source
}

/** Repeated groups of a JavaScript source that hold a repeat without limit themselves. */
export function nestedRepeats(source: string): string[] {
  const found: string[] = []
  const open: { start: number; repeats: boolean }[] = []
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|\(|\)|[*+]|\{\d+,\}/g
  for (let token = tokens.exec(source); token; token = tokens.exec(source)) {
    if (token[0] === '(') open.push({ start: token.index, repeats: false })
    const repeated = /^(?:[*+]|\{\d+,\})/.exec(source.slice(tokens.lastIndex))?.[0]
    if (token[0] === ')') {
      const group = open.pop()
      if (group?.repeats && repeated) found.push(source.slice(group.start, tokens.lastIndex + repeated.length))
      const around = open.at(-1)
      if (around && group?.repeats) around.repeats = true
    }
    const innermost = open.at(-1)
    if (innermost && /^(?:[*+]|\{)/.test(token[0])) innermost.repeats = true
  }
  return found
}

interface Translation {
  pattern: string
  at: number
  /** Sources of the named groups read so far, for `\g<name>`. */
  groups: Map<string, string>
}

interface Flags {
  ignoreCase: boolean
  dotAll: boolean
  extended: boolean
}

/** Reads up to the end of the enclosing group. A bare `(?i)` holds until there, alternatives included. */
function alternation(input: Translation, flags: Flags): string {
  let source = ''
  let repeatable = false
  while (input.at < input.pattern.length) {
    const char = input.pattern.charAt(input.at)
    if (char === ')') return source
    if (flags.extended && /\s/.test(char)) {
      input.at++
    } else if (flags.extended && char === '#') {
      const end = input.pattern.indexOf('\n', input.at)
      input.at = end < 0 ? input.pattern.length : end
    } else if (char === '(') {
      const switched = take(input, /\(\?([imx]*)(?:-([imx]*))?\)/y)
      if (switched) return `${source}(?:${alternation(input, withFlags(flags, switched[1], switched[2]))})`
      source += group(input, flags)
      repeatable = true
    } else if (char === '[') {
      source += characterClass(input, flags)
      repeatable = true
    } else if (repeatable && '*+?{'.includes(char)) {
      source += quantifier(input)
      repeatable = false
    } else {
      source += char === '\\' ? escape(input) : literal(input, flags)
      repeatable = char !== '|' && char !== '^'
    }
  }
  return source
}

function quantifier(input: Translation): string {
  const braces = take(input, /\{(?:\d+,?\d*|,\d+)\}\??/y)
  if (braces) return braces[0].replace('{,', '{0,')
  if (input.pattern.charAt(input.at) === '{') {
    input.at++
    return '\\{'
  }
  const simple = take(input, /([*+?])([+?]?)/y)
  if (!simple) throw unsupported(input, 'quantifier')
  return `${simple[1]}${simple[2] === '?' ? '?' : ''}`
}

function group(input: Translation, flags: Flags): string {
  if (take(input, /\(\?#[^)]*\)/y)) return ''
  const scoped = take(input, /\(\?([imx]*)(?:-([imx]*))?:/y)
  const look = scoped ? null : take(input, /\(\?(<?[=!])/y)
  const named = (scoped ?? look) ? null : take(input, /\(\?<([A-Za-z_]\w*)>/y)
  if (!scoped && !look && !named && !take(input, /\((?!\?)/y)) throw unsupported(input, 'group')
  const body = alternation(input, scoped ? withFlags(flags, scoped[1], scoped[2]) : flags)
  if (input.pattern.charAt(input.at) !== ')') throw unsupported(input, 'unclosed group')
  input.at++
  if (named?.[1]) input.groups.set(named[1], body)
  return look ? `(?${look[1]}${body})` : `(?:${body})`
}

function literal(input: Translation, flags: Flags): string {
  const char = input.pattern.charAt(input.at++)
  if (char === '.' && flags.dotAll) return '[^]'
  if (char === '{' || char === '}' || char === '/') return `\\${char}`
  return flags.ignoreCase ? bothCases(char) : char
}

const escapesAlike = /[dDwWsSbBnrtfv]/
const escapesOfOurs: Record<string, string> = {
  A: '(?<![^])',
  z: '(?![^])',
  Z: '(?=\\n?(?![^]))',
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
  e: '\\x1b',
  a: '\\x07',
  R: '(?:\\r\\n|[\\n\\v\\f\\r])',
}

function escape(input: Translation): string {
  const call = take(input, /\\g<(\w+)>/y)
  if (call) {
    const body = input.groups.get(call[1] ?? '')
    if (body === undefined) throw unsupported(input, 'call of a group that comes later')
    return `(?:${body})`
  }
  const hexadecimal = take(input, /\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})/y)
  if (hexadecimal) return hexadecimal[0]
  const char = input.pattern.charAt(input.at + 1)
  input.at += 2
  const ours = escapesOfOurs[char]
  if (ours) return ours
  if (escapesAlike.test(char)) return `\\${char}`
  if (/[A-Za-z0-9]/.test(char)) throw unsupported(input, `\\${char}`)
  return /[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char
}

/** `[a&&[b]]` becomes a lookahead, `[[:alpha:]]` its ASCII range. */
function characterClass(input: Translation, flags: Flags): string {
  const start = take(input, /\[(\^?)(\]?)/y)
  if (!start) throw unsupported(input, 'character class')
  let members = start[2] ? '\\]' : ''
  let intersection = ''
  for (;;) {
    if (input.at >= input.pattern.length) throw unsupported(input, 'unclosed character class')
    const char = input.pattern.charAt(input.at)
    if (char === ']') break
    const posix = take(input, /\[:([a-z]+):\]/y)
    const range = posix ? null : take(input, /([A-Za-z0-9])-([A-Za-z0-9])/y)
    if (posix) members += posixRange(input, posix[1])
    else if (range) members += flags.ignoreCase ? rangeInBothCases(range[0]) : range[0]
    else if (take(input, /&&(?=\[)/y)) intersection = characterClass(input, flags)
    else if (char === '[') {
      input.at++
      members += '\\['
    } else if (char === '\\') members += classEscape(input)
    else {
      input.at++
      members += flags.ignoreCase && /[A-Za-z]/.test(char) ? char.toLowerCase() + char.toUpperCase() : char
    }
  }
  input.at++
  const own = `[${start[1]}${members}]`
  return intersection ? `(?:(?=${intersection})${own})` : own
}

function classEscape(input: Translation): string {
  const char = input.pattern.charAt(input.at + 1)
  input.at += 2
  if (char === 'h') return '0-9a-fA-F'
  if (/[dDwWsSbnrtfv]/.test(char)) return `\\${char}`
  if (/[A-Za-z0-9]/.test(char)) throw unsupported(input, `\\${char} in a class`)
  return /[\]\\^[-]/.test(char) ? `\\${char}` : char
}

function posixRange(input: Translation, name: string | undefined): string {
  const ranges: Record<string, string> = {
    alpha: 'A-Za-z',
    alnum: 'A-Za-z0-9',
    digit: '0-9',
    lower: 'a-z',
    upper: 'A-Z',
    space: '\\s',
    xdigit: '0-9A-Fa-f',
  }
  const range = ranges[name ?? '']
  if (!range) throw unsupported(input, `[:${name}:]`)
  return range
}

function rangeInBothCases(range: string): string {
  return /[A-Za-z]/.test(range) ? range.toLowerCase() + range.toUpperCase() : range
}

function bothCases(char: string): string {
  return /[A-Za-z]/.test(char) ? `[${char.toLowerCase()}${char.toUpperCase()}]` : char
}

function withFlags(flags: Flags, on = '', off = ''): Flags {
  const set = (letter: string, before: boolean) => (on.includes(letter) ? true : off.includes(letter) ? false : before)
  return {
    ignoreCase: set('i', flags.ignoreCase),
    dotAll: set('m', flags.dotAll),
    extended: set('x', flags.extended),
  }
}

/** Moves on past `sticky` where it matches here. */
function take(input: Translation, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = input.at
  const match = sticky.exec(input.pattern)
  if (match) input.at = sticky.lastIndex
  return match
}

function unsupported(input: Translation, what: string): Error {
  return new Error(`${what} at ${input.at} of /${input.pattern}/`)
}
