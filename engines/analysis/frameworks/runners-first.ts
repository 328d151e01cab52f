import type { DetectedFramework } from '../schema.ts'
import type { TestingPart } from '../../test-plan/schema.ts'
import { type TestFramework, testFrameworks } from './test-frameworks.ts'

/** What runners of a plan are called here, where that differs. Build tools run any framework. */
const namesOfRunners: Readonly<Record<string, string | undefined>> = {
  borp: 'node:test',
  nextest: 'cargo test',
  maven: undefined,
  gradle: undefined,
  'dotnet test': undefined,
  unknown: undefined,
}

/** Puts the frameworks that a run uses before those that were only detected, and libraries last. */
export function runnersFirst(
  detected: readonly DetectedFramework[],
  testing: readonly TestingPart[],
): DetectedFramework[] {
  const running = new Map<string, string[]>()
  for (const { framework, command, directory } of testing) {
    const name = Object.hasOwn(namesOfRunners, framework) ? namesOfRunners[framework] : framework
    if (name === undefined) continue
    const place = directory === '' ? '' : ` in ${directory}`
    running.set(name, [...(running.get(name) ?? []), `a run of the tests is \`${command}\`${place}`])
  }
  const planned = [...running].map(([name, sentences]) => {
    const evidence = detected.find((framework) => framework.name === name)?.evidence ?? []
    return { name, confidence: 1, evidence: [...sentences, ...evidence].slice(0, maxSentences) }
  })
  const others = detected.filter(({ name }) => !running.has(name))
  const isLibrary = ({ name }: DetectedFramework) =>
    (testFrameworks as Record<string, TestFramework>)[name]?.role === 'library'
  return [...planned, ...others.filter((one) => !isLibrary(one)), ...others.filter(isLibrary)]
}

const maxSentences = 5
