import { catalogue, longestExtension } from './catalogue.ts'
import { binaryExtensions, contentStart, contentWindow, isBinary, isLfsPointer } from './content.ts'
import { applyHeuristics, heuristicsFor, otherwise, refuted } from './heuristics.ts'
import { modelineLanguages } from './modeline.ts'
import { ownRules } from './own-rules.ts'
import { likeliest } from './preference.ts'
import { shebangLanguages } from './shebang.ts'

/**
 * Linguist's name for the language of a file, `Binary` for binary content, `Unknown` where no rule fits. Without
 * content (too large, or not fetched) the path alone decides.
 */
export function detectLanguage(path: string, content: Buffer | null): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (content === null || content.length === 0 || isLfsPointer(content)) return languageByName(name, content)
  if (isBinary(content)) return 'Binary'

  const { languages } = catalogue()
  const language = candidatesOf(name, content)
  return language === undefined ? 'Unknown' : (languages[language]?.name ?? 'Unknown')
}

function languageByName(name: string, content: Buffer | null): string {
  const binary = longestExtension(name, (extension) => (binaryExtensions.has(extension) ? true : undefined))
  if (binary && content?.length !== 0) return 'Binary'
  const heuristics = heuristicsFor(name)
  const candidates = narrowed(byFilename(name), byExtension(name))
  const candidate = likeliest(heuristics ? narrowed(candidates, otherwise(heuristics)) : candidates)
  return candidate === undefined ? 'Unknown' : (catalogue().languages[candidate]?.name ?? 'Unknown')
}

/** Each step narrows what the steps before it left open; one candidate ends the search. */
function candidatesOf(name: string, content: Buffer): number | undefined {
  let candidates = modelineLanguages(content)
  if (candidates.length === 1) return candidates[0]
  candidates = narrowed(candidates, byFilename(name))
  if (candidates.length === 1) return candidates[0]
  candidates = narrowed(candidates, shebangLanguages(content))
  if (candidates.length === 1) return candidates[0]
  candidates = narrowed(candidates, byExtension(name))
  const unproven = candidates.length === 1 && needsProof(name)
  if (candidates.length === 1 && !unproven) return candidates[0]

  if (candidates.length === 0) candidates = byForm(name, contentStart(content))
  const heuristics = heuristicsFor(name)
  if (heuristics) {
    const proven = applyHeuristics(heuristics, heuristics.linear ? contentStart(content) : contentWindow(content))
    if (proven.length === 0 && unproven) return undefined
    candidates = narrowed(candidates, proven)
  }
  if (candidates.length > 1) candidates = narrowed(candidates, byOwnRules(name, content))
  if (candidates.length > 1 && heuristics) {
    const without = refuted(heuristics)
    candidates = narrowed(
      candidates,
      candidates.filter((candidate) => !without.has(candidate)),
    )
  }
  return likeliest(candidates)
}

function narrowed(candidates: number[], found: number[]): number[] {
  if (candidates.length === 0) return found
  const both = candidates.filter((candidate) => found.includes(candidate))
  return both.length > 0 ? both : candidates
}

function byFilename(name: string): number[] {
  return catalogue().filenames.get(name) ?? []
}

function byExtension(name: string): number[] {
  return longestExtension(name, (extension) => catalogue().extensions.get(extension)) ?? []
}

/** An extension that belongs to one language and still has rules, none of them certain, is in use for other things. */
function needsProof(name: string): boolean {
  const heuristics = heuristicsFor(name)
  if (!heuristics || otherwise(heuristics).length > 0) return false
  return catalogue().extensions.get(heuristics.extension)?.length === 1 && claims(name, heuristics.extension)
}

/** No longer extension of the name says more: `.blade.php` is not a matter of `.php`. */
function claims(name: string, extension: string): boolean {
  return longestExtension(name, (longest) => (catalogue().extensions.has(longest) ? longest : undefined)) === extension
}

function byOwnRules(name: string, content: Buffer): number[] {
  const rules = ownRules.get(name) ?? longestExtension(name, (extension) => ownRules.get(extension))
  if (!rules) return []
  const window = contentWindow(content)
  const language = rules.find(([, pattern]) => pattern.test(window))?.[0]
  const position = language === undefined ? undefined : catalogue().positions.get(language)
  return position === undefined ? [] : [position]
}

function byForm(name: string, start: string): number[] {
  const { positions } = catalogue()
  const named = (...names: string[]) => names.flatMap((language) => positions.get(language) ?? [])
  if (/^\s*<\?xml version=/.test(start.slice(0, 500))) return named('XML')
  if (/\.(?:[1-9](?![0-9])[a-z_0-9]*|0p|n|man|mdoc)(?:\.in)?$/.test(name)) return named('Roff Manpage', 'Roff')
  return []
}
