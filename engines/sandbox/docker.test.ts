import { expect, test } from 'vitest'
import { createDockerExecutor, dockerArguments } from './docker.ts'
import type { ExecutionSpec } from './executor.ts'

const options = { hostEnvironment: process.env, extraPaths: [], hiddenPaths: [], allowCidrs: [], image: null }
const spec: ExecutionSpec = {
  argv: ['npm', 'test'],
  cwd: '/workspace',
  environment: { TOKEN: 'secret-value', KEY: 'two\nlines' },
  volumes: [
    { path: '/workspace', lower: ['/data/base'], upper: '/data/a,b' },
    { path: '/tools', lower: ['/data/tools'], upper: null },
  ],
  network: 'none',
  limits: {
    wallMs: 1000,
    cpuMs: 1000,
    memoryBytes: 1e9,
    processes: 100,
    outputBytes: 1000,
    diskBytes: 5000,
    files: 1000,
  },
  scratch: '/data/scratch',
}

test('gives containers no network, no capabilities, no way to more, and no socket of the engine', () => {
  const words = dockerArguments('assay-1', 'toolchains:1', spec, { egress: null, user: '1900000001:1900000001' })
  const line = words.join(' ')
  for (const part of [
    '--rm --init --name assay-1 --label assay.host=',
    '--network none --read-only --cap-drop ALL --security-opt no-new-privileges',
    '--security-opt seccomp=/data/scratch/seccomp.json',
    '--memory 1000000000 --memory-swap 1000000000',
    '--user 1900000001:1900000001',
    '--pids-limit 100 --ulimit fsize=1053576',
    '--workdir /workspace',
    'type=bind,"source=/data/a,b",target=/workspace',
    'type=bind,source=/data/tools,target=/tools,readonly',
    'source=/data/scratch/environment,target=/run/assay/environment,readonly',
    'toolchains:1 /bin/sh -c . /run/assay/environment\nexec "$@" sh npm test',
  ]) {
    expect(line).toContain(part)
  }
  expect(line).not.toContain('docker.sock')
  expect(line).not.toContain('privileged ')
  expect(line).not.toContain('secret-value')
  expect(line).not.toContain('two\nlines')
})

test('says what is missing', async () => {
  const signal = new AbortController().signal
  expect(await createDockerExecutor(options).probe(signal)).toEqual({
    usable: false,
    problem: 'docker needs an image with the toolchains (SANDBOX_IMAGE).',
  })
  const noDocker = createDockerExecutor({ ...options, image: 'x', hostEnvironment: { PATH: '/nowhere' } })
  expect(await noDocker.probe(signal)).toEqual({ usable: false, problem: 'docker is not installed.' })
})
