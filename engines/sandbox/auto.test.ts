import { expect, test } from 'vitest'
import { chooseExecutor } from './auto.ts'

const options = { allowCidrs: [], hiddenPaths: [], paths: [], image: null }
const signal = new AbortController().signal

test('tries a sandbox once and remembers the result', async () => {
  const choice = await chooseExecutor('auto', options, signal)
  if ('problem' in choice) throw new Error(`These tests need bubblewrap. ${choice.problem}`)
  expect(['gvisor', 'bwrap']).toContain(choice.executor.name)
  expect(await chooseExecutor('auto', options, signal)).toBe(choice)
})

test('uses no sandbox only if the setting asks for it', async () => {
  const choice = await chooseExecutor('local', options, signal)
  expect(choice).toMatchObject({ executor: { name: 'local', mounts: false } })
})

test('says what is missing if the chosen executor does not work', async () => {
  const choice = await chooseExecutor('docker', options, signal)
  expect(choice).toEqual({
    problem: 'EXECUTOR=docker does not work: docker needs an image with the toolchains (SANDBOX_IMAGE).',
  })
})
