import { quoted } from './command-line.ts'
import type { Ecosystem } from './ecosystem.ts'
import { pythonInstall } from './python/install.ts'
import { collectedByPython } from './python/test-files.ts'
import { readProject } from './python/project.ts'
import { pytestPlan, pythonTests, unittestPlan } from './python/tests.ts'

const manifests = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'Pipfile',
  'requirements.txt',
  'pytest.ini',
  'tox.ini',
  'conftest.py',
]

export const python: Ecosystem = {
  name: 'python',
  claims: (folder) =>
    manifests.some((path) => folder.has(path)) ||
    folder.paths.some((path) => /^(?:requirements[^/]*\.txt|(?:tests?\/)?(?:test_[^/]+|[^/]+_test)\.py)$/.test(path)),
  install: pythonInstall,
  tests: pythonTests,
  collected: collectedByPython,
  async adopt(folder, command) {
    const texts = command.words.map(({ text }) => text)
    const launcher = /^(?:uv run|poetry run|pipenv run|coverage run -m|python3? -m coverage run -m) /.exec(
      `${texts.join(' ')} `,
    )?.[0]
    const words = command.words.slice(launcher ? launcher.trim().split(' ').length : 0)
    const [first = '', second = '', third = ''] = words.map(({ text }) => text)
    const isPython = /^python3?$/.test(first) && second === '-m'
    const because = `the setting "testCommand" is \`${quoted(texts)}\``
    const project = await readProject(folder)
    if (first === 'pytest' || first === 'py.test' || (isPython && third === 'pytest')) {
      const isMeasured = launcher?.includes('coverage') ?? false
      return pytestPlan(folder, project, words.slice(isPython ? 3 : 1), command.environment, because, isMeasured)
    }
    const rest = words.slice(isPython ? 3 : 1).map(({ text }) => text)
    const plain = rest.every((word) => !word.startsWith('-') || word === '-v')
    if (!((isPython && third === 'unittest') || (launcher && first === 'unittest')) || !plain) return null
    return unittestPlan(
      folder,
      project,
      rest.filter((word) => word !== 'discover' && word !== '-v'),
      because,
    )
  },
}
