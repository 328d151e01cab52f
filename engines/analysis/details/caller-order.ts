import { normalizeName, readTestName, subjectKeys, testKey } from '../../test-names/test-name.ts'
import type { Callers } from '../ranking/callers.ts'
import { constructors } from '../ranking/symbol-index.ts'
import type { TestCandidate } from '../schema.ts'
import type { TestedFiles } from './tested-files.ts'
import type { Uses } from './test-text.ts'

const noUses: Uses = { calls: 0, mentions: 0, members: 0 }

/** Sorts the tests that call a symbol. */
export class CallerOrder {
  readonly #files: TestedFiles

  constructor(files: TestedFiles) {
    this.#files = files
  }

  /**
   * The tests that are named after the symbol come first, then those named after its file, then those with the most
   * calls. Of tests that are only known to use its type, those that mention such a member remain, or else those of its
   * class.
   */
  best({ path, symbol, through }: TestCandidate, { tests, certainty, ownerTests }: Callers): Callers {
    const subject = through ?? { path, symbol }
    const names = namesOf(subject.symbol)
    const known = tests.map((test) => ({ test, likeness: likeness(test, subject), ...this.#uses(test, names) }))
    const sorted = known
      .filter(({ members }) => certainty !== 'reach' || members > 0)
      .toSorted(
        (a, b) => b.likeness - a.likeness || b.calls - a.calls || b.mentions - a.mentions || (a.test < b.test ? -1 : 1),
      )
    const found = sorted.map(({ test }) => test)
    return { tests: found.length > 0 ? found : ownerTests, certainty, ownerTests }
  }

  #uses(test: string, { own, isDefault }: SymbolNames): Uses {
    const words = this.#files.words(test)
    if (!isDefault) return words.get(own) ?? noUses
    const locals = this.#files.imports(test).flatMap(({ specifier, defaultName }) => specifier.startsWith('.') && defaultName !== undefined ? [words.get(defaultName) ?? noUses] : []) // prettier-ignore
    return locals.reduce((best, uses) => (uses.calls > best.calls ? uses : best), noUses)
  }
}

interface SymbolNames {
  /** As code calls it: a constructor by the name of its class. */
  own: string
  /** Of the type around it; empty if there is none. */
  type: string
  isDefault: boolean
}

function namesOf(symbol: string): SymbolNames {
  const parts = symbol.split(/[.:#\\]+/).filter((part) => part !== '' && !constructors.has(part))
  const [own = '', type = ''] = parts.toReversed()
  return { own, type, isDefault: own === 'default' }
}

/** How well the name of a test says that it is for a symbol. */
function likeness(test: string, { path, symbol }: { path: string; symbol: string }): number {
  const { own, type, isDefault } = namesOf(symbol)
  const files = subjectKeys(path)
  const key = testKey(test)
  const name = normalizeName(own)
  if (!isDefault && (key === name || [type, ...files].some((around) => key === normalizeName(around) + name))) return 4
  if (files.includes(key)) return 3
  const parts = readTestName(test)
    .stem.split(/[^\p{L}\p{N}]+/u)
    .map(normalizeName)
  if (!isDefault && holds(parts, name)) return 2
  return parts[0] !== '' && parts[0] === files[0] ? 1 : 0
}

/** Whether the parts of a name contain another name: `exit_override_error` holds `exitOverride`. */
function holds(parts: readonly string[], name: string): boolean {
  return parts.some((_part, start) => {
    let joined = ''
    for (const part of parts.slice(start, start + 8)) {
      joined += part
      if (joined === name) return true
      if (joined.length >= name.length) return false
    }
    return false
  })
}
