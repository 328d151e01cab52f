import { expect, test } from 'vitest'
import { chooseExecutor } from './auto.ts'

const options = { allowCidrs: [], hiddenPaths: [], paths: [], image: null }
const signal = new AbortController().signal

test('takes a sandbox that was tried, once for the life of the process', async () => {
  const choice = await chooseExecutor('auto', options, signal)
  if ('problem' in choice) throw new Error(`These tests need bubblewrap. ${choice.problem}`)
  expect(['gvisor', 'bwrap']).toContain(choice.executor.name)
  expect(await chooseExecutor('auto', options, signal)).toBe(choice)
})

test('takes no sandbox at all only when asked to', async () => {
  const choice = await chooseExecutor('local', options, signal)
  expect(choice).toMatchObject({ executor: { name: 'local', mounts: false } })
})

test('says what is missing where the asked one cannot be used', async () => {
  const choice = await chooseExecutor('docker', options, signal)
  expect(choice).toEqual({
    problem: 'EXECUTOR is docker, which cannot be used: docker needs an image with the toolchains (SANDBOX_IMAGE).',
  })
})
