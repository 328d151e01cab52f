import type { FactsBuilder } from '../facts-builder.ts'

const maxImports = 1_000
const maxSpecifier = 500
const maxSpaces = 20

/**
 * Records what the walk over the tree does not see. Types and JSDoc comments mention modules as
 * `import('./queue.ts').Queue`; a dynamic import, which has the same form, is a mention too. A path such as `./${name}.js` means any file of its folder.
 */
export function recordWrittenImports(facts: FactsBuilder, source: string): void {
  let count = 0
  for (const call of ['import(', 'require(']) {
    for (let at = source.indexOf(call); at !== -1 && count < maxImports; at = source.indexOf(call, at + call.length)) {
      if (/[\w$.]/.test(source[at - 1] ?? '')) continue
      const read = readArgument(source, at + call.length)
      if (!read) continue
      count += 1
      const { text, end, isComputed } = read
      if (isComputed) {
        if (/^\.{1,2}\//.test(text)) facts.loadsFrom(text.slice(0, text.lastIndexOf('/')))
      } else if (call === 'import(') {
        facts.mention({ specifier: text, names: [memberAfter(source, end) ?? '*'], typeOnly: true })
      }
    }
  }
}

/** The text at the beginning of the argument; `isComputed` if more follows. */
function readArgument(source: string, from: number): { text: string; end: number; isComputed: boolean } | undefined {
  const start = afterSpaces(source, from)
  const quote = source[start]
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined
  for (let end = start + 1; end < source.length && end - start <= maxSpecifier; end++) {
    if (source[end] === '\n') return undefined
    const isSlot = quote === '`' && source.startsWith('${', end)
    if (!isSlot && source[end] !== quote) continue
    const text = source.slice(start + 1, end)
    return { text, end: end + 1, isComputed: isSlot || source[afterSpaces(source, end + 1)] === '+' }
  }
  return undefined
}

/** `Queue` in `).Queue`. */
function memberAfter(source: string, from: number): string | undefined {
  const close = afterSpaces(source, from)
  if (source[close] !== ')') return undefined
  const dot = afterSpaces(source, close + 1)
  if (source[dot] !== '.') return undefined
  return /^[A-Za-z_$][\w$]*/.exec(source.slice(dot + 1, dot + 101).trimStart())?.[0]
}

function afterSpaces(source: string, from: number): number {
  let at = from
  while (at < from + maxSpaces && /\s/.test(source[at] ?? '')) at += 1
  return at
}
