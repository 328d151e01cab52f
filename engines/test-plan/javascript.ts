import type { Ecosystem } from './ecosystem.ts'
import { javascriptInstall } from './javascript/install.ts'
import { readPackage, workspaceFolders } from './javascript/package.ts'
import { planWith } from './javascript/runner.ts'
import { runnerOf } from './javascript/scripts.ts'
import { collectedByJavascript } from './javascript/test-files.ts'
import { javascriptTests } from './javascript/tests.ts'
import { quoted } from './command-line.ts'

export const javascript: Ecosystem = {
  name: 'javascript',
  claims: (folder) => folder.has('package.json'),
  install: javascriptInstall,
  tests: javascriptTests,
  members: workspaceFolders,
  collected: collectedByJavascript,
  async adopt(folder, command) {
    const found = runnerOf(command)
    if (!found) return null
    const line = quoted(command.words.map(({ text }) => text))
    const because = `the setting "testCommand" is \`${line}\``
    return planWith(found.runner, found.command, {
      folder,
      project: await readPackage(folder),
      because,
      isOwners: true,
    })
  },
}
