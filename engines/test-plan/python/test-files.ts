import { globMatcher } from '../../source/glob.ts'
import type { TestPlan } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { globsOfTargets, knownGlobs } from '../test-globs.ts'
import { readPytestSettings } from './pytest-settings.ts'

const maxPlaces = 50
const outside = ['!**/{node_modules,venv,site-packages,build,dist}/**', '!.*/**']

/** Finds the globs of the files that a command collects; undefined if they are not known. */
export async function collectedByPython(folder: Folder, plan: TestPlan): Promise<string[] | undefined> {
  const { framework, test, targetCount } = plan
  const targets = (targetCount ? test.argv.slice(-targetCount) : []).map((target) => target.replace(/::.*$/s, ''))
  if (framework === 'unittest') {
    if (targets.some((target) => !folder.has(target) && target.includes('.'))) return moduleFiles(folder, targets)
    return knownGlobs(
      globsOfTargets(targets.length > 0 ? targets : ['.'], folder, ['**/test*.py', '**/*_test.py', ...outside]),
    )
  }
  // A shell that measures is in front of it.
  const words = test.argv.slice(test.argv.indexOf('pytest') + 1)
  if (framework !== 'pytest' || words.some((word) => /^(?:-c|--config-file|--rootdir|--pyargs)(?:=|$)/.test(word)))
    return undefined
  const { testPaths = [], pythonFiles = [] } = (await readPytestSettings(folder)) ?? {}
  const names = pythonFiles.length > 0 ? pythonFiles : ['test_*.py', '*_test.py']
  const below = [...names.map((name) => `**/${name.replace(/^\.?\//, '')}`), ...outside]
  const places = targets.length > 0 ? targets : testPaths.length > 0 ? testPaths.flatMap(placesOf(folder)) : ['.']
  return knownGlobs(globsOfTargets(places, folder, below))
}

/** The entries of `testpaths` may be globs of folders. */
const placesOf = (folder: Folder) => (path: string) => {
  if (!/[*?[]/.test(path)) return [path]
  const depth = path.split('/').length
  const isMatch = globMatcher(path)
  const found = new Set(folder.paths.map((file) => file.split('/').slice(0, depth).join('/')))
  return [...found].filter(isMatch).slice(0, maxPlaces)
}

/** Modules are named with dots. */
function moduleFiles(folder: Folder, modules: readonly string[]): string[] | undefined {
  const files = modules.flatMap((module) => {
    const names = module.split('.')
    const paths = names.map((_, at) => `${names.slice(0, at + 1).join('/')}.py`)
    return paths.find((path) => folder.has(path)) ?? []
  })
  return files.length === modules.length ? files : undefined
}
