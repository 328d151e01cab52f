import type { Word } from '../command-line.ts'
import type { TestPlan } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import type { Package } from './package.ts'

/** The command of a test runner as written in the project, without wrappers. */
export interface RunnerCommand {
  environment: Readonly<Record<string, string>>
  /** `node` or a replacement with its options, if the project starts the file of the runner with it. */
  node: readonly string[]
  /** c8 or nyc in front of it, with options. */
  coverage: { tool: 'c8' | 'nyc'; options: readonly string[] } | null
  /** After the name of the runner. */
  words: readonly Word[]
}

export interface RunnerContext {
  folder: Folder
  project: Package
  because: string
  /** The command is that of the settings, whose options are meant. */
  isOwners?: boolean
}

export interface Runner {
  name: string
  /** Names of its program, in node_modules/.bin. */
  programs: readonly string[]
  /** Files of its program below node_modules, for `node node_modules/jest/bin/jest.js`. */
  file: RegExp
  /** The command with our reporters. */
  plan(command: RunnerCommand, context: RunnerContext): TestPlan
}

/** The arguments of a command line, split into options and targets by the options that take a value. */
export interface Arguments {
  options: string[]
  targets: Word[]
}

interface ArgumentRules {
  /** Options whose value is the next word. */
  valued: readonly string[]
  valuedPattern?: RegExp
  /** Options that are ours to set, or that would start a watch. */
  dropped: RegExp
}

export function splitArguments(words: readonly Word[], { valued, valuedPattern, dropped }: ArgumentRules): Arguments {
  const options: string[] = []
  const targets: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!word) continue
    if (word.text === '--') continue
    if (!word.text.startsWith('-') || word.text === '-') {
      targets.push(word)
      continue
    }
    const next = words[at + 1]
    const isValued = valuedPattern?.test(word.text) && !next?.text.startsWith('-')
    const takesNext = isValued || valued.includes(word.text) || /^(?:true|false)$/.test(next?.text ?? '')
    const value = takesNext && next ? [next.text] : []
    at += value.length
    if (!dropped.test(word.text)) options.push(word.text, ...value)
  }
  return { options, targets }
}

export function textsOf(words: readonly Word[]): string[] {
  return words.map(({ text }) => text)
}

/** Runs a program of node_modules/.bin, never one that would have to be downloaded first. */
export function npx(...args: string[]): string[] {
  return ['npx', '--no-install', ...args]
}

/**
 * npm asks the registry for its own updates otherwise, and for a program that is not installed again and again, and
 * waits for an answer that cannot come.
 */
export const runnerEnvironment = { CI: 'true', npm_config_update_notifier: 'false', npm_config_fetch_retries: '0' }

/** The runner's plan, with a word on a runner that no manifest names. */
export function planWith(runner: Runner, command: RunnerCommand, context: RunnerContext): TestPlan {
  const plan = runner.plan(command, context)
  const { dependencies } = context.project
  const brings = [...runner.programs, ...(runner.name === 'jest' ? ['react-scripts'] : []), `@${runner.name}/test`]
  if (runner.programs.length === 0 || brings.some((name) => dependencies.has(name))) return plan
  const undeclared = `package.json does not name ${runner.name}: if it is not installed, add it to the devDependencies, or let installCommand install it.`
  return { ...plan, undeclared }
}
