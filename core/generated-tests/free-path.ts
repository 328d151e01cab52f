/** How a name says that it is a test's: `cart.test.ts`, `cart_test.go`, `CartTest.java`. */
const endings = [
  { pattern: /^(.+?)((?:[.-](?:test|tests|spec|specs|cy|e2e|it))+\.[.\w]+)$/i, joint: '-' },
  { pattern: /^(.+?)((?:_(?:test|tests|spec|specs))+\.[.\w]+)$/i, joint: '_' },
  { pattern: /^(.*?[a-z\d_])((?:Tests?|TestCase|Specs?|IT)\.[.\w]+)$/, joint: '' },
  { pattern: /^(.+?)(\.[cm]?[jt]sx?)$/i, joint: '-' },
  { pattern: /^(.+?)(\.[.\w]+)$/, joint: '_' },
]
const mostTries = 1_000

/**
 * The path itself, or where there is something already one like it that runners take for a test as well:
 * `cart-2.test.ts`, `cart_2_test.go`, `Cart2Test.java`.
 *
 * @returns undefined where all of them are in use
 */
export function freePath(path: string, isInUse: (path: string) => boolean): string | undefined {
  if (!isInUse(path)) return path
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const { stem, joint, end } = partsOf(path.slice(folder.length))
  for (let number = 2; number <= mostTries; number++) {
    const other = `${folder}${stem}${joint}${number}${end}`
    if (!isInUse(other)) return other
  }
  return undefined
}

function partsOf(name: string) {
  for (const { pattern, joint } of endings) {
    const [, stem, end] = pattern.exec(name) ?? []
    if (stem !== undefined && end !== undefined) return { stem, joint, end }
  }
  return { stem: name, joint: '-', end: '' }
}

/** Languages in which a file is named after its class, which then has to bear the new name too. */
const namedAfterClass = /\.(?:java|kt|groovy|scala|cs|php)$/

/** The code as it belongs into a file of another name. */
export function renamedCode(code: string, from: string, to: string): string {
  const [before, after] = [classOf(from), classOf(to)]
  if (before === after || !namedAfterClass.test(from) || !/^\w+$/.test(before)) return code
  return code.replace(new RegExp(`\\b${before}\\b`, 'g'), after)
}

const classOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
