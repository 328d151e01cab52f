import type { TestType } from '../../../core/analysis/schema.ts'
import { splitCamelCase } from './cases.ts'
import type { Target } from './targets.ts'

const doorFolders = new Set(
  `route routes router routers controller controllers handler handlers endpoint endpoints resolver resolvers middleware
  middlewares`.split(/\s+/),
)
const doorName = /(^|[._-])(routes?|routers?|controllers?|handlers?|endpoints?|resolvers?|middlewares?)$/
const doorSymbol = /(Controller|Handler|Router|Resolver|Middleware|Endpoint|Servlet)$/

/** `pages/`, and `page.tsx` below `app/`, each in a language that pages are written in. */
const page = /(?:^|\/)(?:pages\/(?!api\/)(?<pages>.+)|app\/(?<app>(?:.+\/)?)page)\.[jt]sx?$/

/**
 * What answers requests is worth little alone, so it gets an integration test; a page gets an end-to-end test where
 * the project drives browsers already; everything else gets a unit test.
 */
export function testTypeOf(target: Target, hasBrowser: boolean): TestType {
  if (hasBrowser && addressOfPage(target.path) !== undefined) return 'e2e'
  return isDoor(target) ? 'integration' : 'unit'
}

function isDoor({ path, candidate }: Target): boolean {
  const folders = path.split('/')
  const name = (folders.pop() ?? '').replace(/\.[A-Za-z]+$/, '')
  const kebab = splitCamelCase(name).replaceAll(' ', '-').toLowerCase()
  const symbols = (candidate?.symbol ?? '').split(/[.:#\\]+/)
  return (
    folders.some((folder) => doorFolders.has(folder.toLowerCase())) ||
    /(^|\/)pages\/api\//.test(path) ||
    doorName.test(kebab) ||
    symbols.some((symbol) => doorSymbol.test(symbol))
  )
}

/** Where a visitor finds the page of a file-based router; undefined for any other file. */
export function addressOfPage(path: string): string | undefined {
  const match = page.exec(path)
  if (!match) return undefined
  const segments = (match.groups?.['pages'] ?? match.groups?.['app'] ?? '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== 'index' && !/^[(@_]/.test(segment))
  return `/${segments.join('/')}`
}
