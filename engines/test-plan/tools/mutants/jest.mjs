// Tries mutants with Jest: `node jest.mjs <the command>`, where the command begins with its program, such as `npx jest`.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { start } from './processes.mjs'
import { files, report } from './shared.mjs'

const [program, ...words] = process.argv.slice(2)
const { code, errors } = await start(program, adapted(words), process.env)
// Jest ends before it loads a runner if it finds no tests, or cannot read its configuration.
if (!existsSync(files.events)) {
  const message = `The command started no test with Jest, and ended with ${code}. ${errors}`
  report({ kind: 'error', message }, { kind: 'end', isComplete: false })
}

/** Jest gives all test files to its runner at once. Ours tries mutants with them. */
function adapted(all) {
  const dropped = /^(?:-b|--(?:bail|json|outputFile|testLocationInResults|randomize|seed|watch|watchAll)(?:=.*)?)$/
  const kept = all.filter((word) => !dropped.test(word))
  const at = kept.findIndex((word) => /(?:^|[\\/])(?:jest|jest-cli|react-scripts)(?:\.js)?$/.test(word)) + 1
  const isReactScripts = (kept[at - 1] ?? '').includes('react-scripts')
  const runner = fileURLToPath(new URL('jest-runner.cjs', import.meta.url))
  // Something that tests leave open would keep Jest.
  const ours = [`--runner=${runner}`, '--ci', '--watchAll=false', '--coverage=false', '--forceExit']
  return kept.toSpliced(at + (isReactScripts ? 1 : 0), 0, ...ours)
}
