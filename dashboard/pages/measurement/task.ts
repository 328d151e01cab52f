import type { CodeOf } from '../../parts/code-link.tsx'
import type { Survivor } from './types.ts'

/** Words a task for a coding agent: what to assert, where, and how to find out whether it helped. */
export function toTask(survivors: readonly Survivor[], { commitSha }: CodeOf): string {
  const paths = [...new Set(survivors.map(({ path }) => path))]
  const at = commitSha ? ` (measured on commit ${commitSha.slice(0, 10)})` : ''
  return [
    `No test notices ${survivors.length === 1 ? 'this small change' : 'these small changes'} of the code${at}. Add or extend tests so that one fails with ${survivors.length === 1 ? 'it' : 'each'}.`,
    'Take the expected values from what the code should do, not from what it does. Leave out changes that do not alter the behavior. Do not change the code under test.',
    '',
    ...survivors.map((survivor, index) => `${index + 1}. ${toItem(survivor)}`),
    '',
    `Then check it with \`assay weak ${paths.slice(0, 20).join(' ')}\`, or with the tool find_weak_tests.`,
  ].join('\n')
}

function toItem({ path, line, symbol, original, replacement, context, advice, nearestTest }: Survivor): string {
  const change = context ?? { original, replacement }
  const after = change.replacement === '' ? 'nothing' : `\`${change.replacement}\``
  const test = nearestTest
    ? ` Nearest test: ${nearestTest.path}${nearestTest.name === null ? '' : ` "${nearestTest.name}"`}.`
    : ''
  return `${path}:${line}${symbol === null ? '' : ` (${symbol})`}: \`${change.original}\` -> ${after}. ${advice}${test}`
}
