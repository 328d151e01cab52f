import type { AiSource } from '../../../core/ai/schema.ts'
import type { Language } from '../../repository/languages.ts'
import type { Target } from './targets.ts'

/** Facts for a test that only checks that its subject exists, which needs no model. */
export interface Smoke {
  /** True if the source contains a function or class with this name. Otherwise it may be any value. */
  isCallable: boolean
  /** True if the name needs no type arguments. */
  isGeneric: boolean
  /** The Go package, from the source. */
  packageName: string | undefined
}

export const smokeCases = ['can be loaded']

const writable: ReadonlySet<Language> = new Set<Language>(['typescript', 'javascript', 'python', 'go'])

/** Undefined for languages without smoke tests. */
export function smokeOf(target: Target, sources: readonly AiSource[] = []): Smoke | undefined {
  if (!writable.has(target.language)) return undefined
  const { path: from, symbol } = target.candidate?.through ?? { path: target.path, symbol: target.candidate?.symbol }
  const source = sources.filter(({ path }) => path === from).map(({ content }) => content).join('\n') // prettier-ignore
  const name = /[A-Za-z_$][\w$]*$/.exec(symbol ?? '')?.[0].replaceAll('$', '\\$') ?? ''
  const shows = (before: string, after: string) => name !== '' && new RegExp(`${before}${name}${after}`).test(source)
  return {
    isCallable:
      shows('\\b(?:function\\*?|class)\\s+', '\\b') ||
      shows('\\b(?:const|let|var)\\s+', '\\s*=\\s*(?:async\\s*)?(?:\\([^()]*\\)|\\w+)\\s*=>'),
    isGeneric: shows('\\bfunc\\s+', '\\s*\\[') || shows('\\btype\\s+', '\\s*\\['),
    packageName: /^package\s+([a-z_]\w*)/m.exec(source)?.[1],
  }
}
