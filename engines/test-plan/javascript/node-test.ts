import { matchesGlob } from 'node:path'
import type { Word } from '../command-line.ts'
import { quoted } from '../command-line.ts'
import { step } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { knownGlobs } from '../test-globs.ts'
import { measuredByNode } from './measure.ts'
import type { Runner } from './runner.ts'
import { npx, runnerEnvironment, splitArguments } from './runner.ts'

const valued = ['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions', '--env-file']
const ours = ['--test-reporter', '--test-reporter-destination']
const dropped = /^(?:--test-reporter|--test-reporter-destination|--watch|--test|--experimental-test-coverage)(?:=|$)/
const reporting = [
  '--test',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=junit',
  '--test-reporter-destination={output}/junit.xml',
]
const maxFiles = 500

export const nodeTest: Runner = {
  name: 'node:test',
  programs: [],
  file: /^$/,
  plan(command, { folder, because }) {
    const { options, targets } = splitArguments(command.words, { valued: [...valued, ...ours], dropped })
    const files = targets.flatMap((target) => expanded(target, folder))
    const [program = 'node', ...before] = command.node
    const environment = { ...command.environment, ...runnerEnvironment }
    const args = [...before, ...options, ...reporting, ...files]
    const argv = program === 'node' ? [program, ...args] : npx(program, ...args)
    const shown = quoted(program === 'node' ? argv : ['npx', program, ...args])
    // The shell of the project finds new files as well.
    const testFiles = targets.some(({ pattern }) => pattern) ? knownGlobs(targets.map(({ text }) => text)) : undefined
    return {
      framework: 'node:test',
      ...(testFiles && { testFiles }),
      // Node's own report is wrong for scripts with a source map: it counts comments, and misses code.
      ...measuredByNode(step(argv, { because, command: shown, environment })),
      targetCount: files.length,
      reports: ['{output}/junit.xml'],
      failureExitCodes: [1],
      notes: [],
    }
  },
}

/** The author's shell would have done it; Node before 21 knows no patterns. */
function expanded({ text, pattern }: Word, folder: Folder): string[] {
  if (!pattern) return [text]
  const plain = text.replace(/^\.\//, '')
  const files = folder.paths.filter((path) => !path.includes('node_modules/') && matchesGlob(path, plain))
  return files.length > 0 && files.length <= maxFiles ? files.toSorted() : [text]
}
