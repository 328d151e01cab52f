import { resolve } from 'node:path'
import { allowedExpressions } from './allowed-expressions.ts'
import { acceptedCircles } from './borders.ts'
import { findSlowExpressions } from './find-slow-expressions.ts'
import { findViolations } from './find-violations.ts'
import { readVerdicts } from './judge-expressions.ts'
import { readExpressions } from './read-expressions.ts'
import { readImports } from './read-imports.ts'
import { measureStructure } from './structure.ts'

/**
 * Checks the imports and the regular expressions: `node checks/main.ts [folder]`, part of `npm run check`. Prints the
 * figures of the structure, and fails with a line for each import that crosses a border, each circle of files, each pair
 * of domains that import each other, and each expression whose time grows faster than what it reads.
 */
const root = resolve(process.argv[2] ?? '.')
const imports = readImports(root)
const structure = measureStructure(imports)
const accepted = acceptedCircles.map(({ files }) => files.toSorted().join(' '))
const expressions = readExpressions(root)
const problems = [
  ...findViolations(imports).map(({ file, target, rule }) => `${file} imports ${target}. ${rule}`),
  ...structure.circles
    .filter((files) => !accepted.includes(files.join(' ')))
    .map((files) => `These files import each other: ${files.join(', ')}.`),
  ...structure.mutualDomains.map(([one, other]) => `core/${one} and core/${other} import each other.`),
  ...findSlowExpressions(expressions, readVerdicts()),
]
for (const problem of problems) console.error(problem)
const { files, circles, mutualDomains, longestChain } = structure
console.log(
  `imports: ${files} files with ${structure.imports} imports, ${circles.length} circles, ` +
    `${mutualDomains.length} pairs of domains that import each other, longest chain ${longestChain.length}`,
)
console.log(`expressions: ${expressions.length}, with ${allowedExpressions.length} reasons to allow slow ones`)
if (process.argv.includes('--chain')) console.log(longestChain.join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1
