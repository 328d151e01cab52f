import { posix } from 'node:path'
import type { FileFacts, SymbolFact } from '../types.ts'

/** Marks the export of `module.exports = function () {}`, which has no name of its own. */
export const namelessModule = 'module.exports'

/**
 * Names what is `module.exports` after its file, as its users do: `stringify` in `lib/stringify.js`. It stays `default` in
 * an index, and where another symbol of the file has that name.
 */
export function nameByFile(facts: FileFacts, path: string): FileFacts {
  const isNameless = ({ name, local }: FileFacts['exports'][number]) => name === 'default' && local === namelessModule
  if (!facts.exports.some(isNameless)) return facts
  const name = nameOfFile(path)
  const isTaken = facts.symbols.some((symbol) => symbol.name === name || symbol.name.startsWith(`${name}.`))
  const local = name === undefined || isTaken ? 'default' : name
  const renamed = (symbol: SymbolFact): SymbolFact => {
    const isMeant = symbol.name === 'default' || symbol.name.startsWith('default.')
    return isMeant ? { ...symbol, name: local + symbol.name.slice('default'.length) } : symbol
  }
  return {
    ...facts,
    symbols: facts.symbols.map(renamed),
    exports: facts.exports.map((fact) => {
      if (!isNameless(fact)) return fact
      return local === 'default' ? { name: 'default' } : { name: 'default', local }
    }),
  }
}

/** `parseUrl` for `parse-url.js`. */
function nameOfFile(path: string): string | undefined {
  const [first = '', ...others] = posix.parse(path).name.split(/[^\w$]+/)
  const name = first + others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'index' ? name : undefined
}
