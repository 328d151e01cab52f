import type { TestType } from '../../../core/ai/schema.ts'
import { addressOfPage } from '../../../engines/test-names/pages.ts'
import { splitCamelCase } from '../../../engines/test-names/test-name.ts'
import type { Target } from './targets.ts'

const doorFolders = new Set(
  `route routes router routers controller controllers handler handlers endpoint endpoints resolver resolvers middleware
  middlewares`.split(/\s+/),
)
const doorName = /(^|[._-])(routes?|routers?|controllers?|handlers?|endpoints?|resolvers?|middlewares?)$/
const doorSymbol = /(Controller|Handler|Router|Resolver|Middleware|Endpoint|Servlet)$/

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
