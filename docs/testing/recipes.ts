import { parse } from 'yaml'
import { z } from 'zod'
import type { Step } from './steps.ts'

/** Returns the code blocks of a language below a heading. */
export function blocksOf(page: string, heading: string, language: string): string[] {
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, code]) =>
    found === language && code !== undefined ? [code] : [],
  )
}

const Gitlab = z.strictObject({
  workflow: z.strictObject({ rules: z.array(z.strictObject({ if: z.string() })) }),
  test: z.strictObject({ image: z.string(), script: z.array(z.string()) }),
})

/** GitLab runs all lines of a job in one shell, and `sh` where the image has no bash. */
export function gitlabSteps(yaml: string, shell: 'bash' | 'sh'): Step[] {
  const { script } = Gitlab.parse(parse(yaml)).test
  const options = shell === 'bash' ? 'set -o pipefail\n' : ''
  return [{ shell: [shell], script: `${options}set -o errexit\nset +o noclobber\n${script.join('\n')}\n` }]
}

const Buildkite = z.strictObject({
  steps: z.array(z.strictObject({ label: z.string(), secrets: z.array(z.string()), command: z.string() })).length(1),
})

/** Buildkite replaces variables when it reads the pipeline, except escaped ones. */
export function buildkiteSteps(yaml: string): Step[] {
  const replaced = yaml.replaceAll(/\$\$|\$\(|\$(?=[{A-Za-z])/g, (found) => {
    if (found === '$') throw new Error('Buildkite would replace a variable of the recipe')
    return found === '$$' ? '$' : found
  })
  return Buildkite.parse(parse(replaced)).steps.map(({ command }) => ({ shell: ['bash', '-e'], script: command }))
}

const Circle = z.strictObject({
  version: z.literal(2.1),
  jobs: z.strictObject({
    test: z.strictObject({
      docker: z.array(z.strictObject({ image: z.string() })),
      steps: z.array(
        z.union([
          z.literal('checkout'),
          z.strictObject({ run: z.string() }),
          z.strictObject({ run: z.strictObject({ when: z.literal('always').optional(), command: z.string() }) }),
        ]),
      ),
    }),
  }),
  workflows: z.strictObject({ test: z.strictObject({ jobs: z.array(z.string()) }) }),
})

export function circleSteps(yaml: string): Step[] {
  return Circle.parse(parse(yaml)).jobs.test.steps.flatMap((step): Step[] => {
    if (step === 'checkout') return []
    const { command, when } = typeof step.run === 'string' ? { command: step.run, when: undefined } : step.run
    return [{ shell: ['bash', '-eo', 'pipefail'], script: command, always: when === 'always' }]
  })
}
