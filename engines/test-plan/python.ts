import { quoted } from './command-line.ts'
import type { Ecosystem } from './ecosystem.ts'
import { pythonInstall } from './python/install.ts'
import { collectedByPython } from './python/test-files.ts'
import { readProject } from './python/project.ts'
import { planOfCommand, pythonTests } from './python/tests.ts'

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
    const line = quoted(command.words.map(({ text }) => text))
    const because = `the setting "testCommand" is \`${line}\``
    return planOfCommand(folder, await readProject(folder), command, because, { isOwners: true })
  },
}
