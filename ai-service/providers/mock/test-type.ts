import type { TestType } from '../../../core/ai/schema.ts'
import { addressOfPage } from '../../../engines/test-names/pages.ts'
import { splitCamelCase } from '../../../engines/test-names/test-name.ts'
import type { Target } from './targets.ts'

const handlerFolders = new Set(
  `route routes router routers controller controllers handler handlers endpoint endpoints resolver resolvers middleware
  middlewares`.split(/\s+/),
)
const handlerName = /(^|[._-])(routes?|routers?|controllers?|handlers?|endpoints?|resolvers?|middlewares?)$/
const handlerSymbol = /(Controller|Handler|Router|Resolver|Middleware|Endpoint|Servlet)$/

/**
 * Code that answers requests does little alone, so it gets an integration test. A page gets an end-to-end test if the
 * project has browser tests. All other code gets a unit test.
 */
export function testTypeOf(target: Target, hasBrowser: boolean): TestType {
  if (hasBrowser && addressOfPage(target.path) !== undefined) return 'e2e'
  return isHandler(target) ? 'integration' : 'unit'
}

function isHandler({ path, candidate }: Target): boolean {
  const folders = path.split('/')
  const name = (folders.pop() ?? '').replace(/\.[A-Za-z]+$/, '')
  const kebab = splitCamelCase(name).replaceAll(' ', '-').toLowerCase()
  const symbols = (candidate?.symbol ?? '').split(/[.:#\\]+/)
  return (
    folders.some((folder) => handlerFolders.has(folder.toLowerCase())) ||
    /(^|\/)pages\/api\//.test(path) ||
    handlerName.test(kebab) ||
    symbols.some((symbol) => handlerSymbol.test(symbol))
  )
}
