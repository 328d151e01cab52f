import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolder } from '../client/testing/repository.ts'
import { assay, ended, hasTerminals, spawnAssay } from './testing/assay.ts'
import { completionsOf } from './testing/complete.ts'

test.skipIf(!hasTerminals)('completing in bash executes neither the typed line nor the completions', async () => {
  await using folder = await createFolder()
  const at = (name: string) => join(folder.path, name)
  await writeFile(at('completion.sh'), (await assay(['completion', 'bash'])).stdout)
  await writeFile(at('keep.txt'), 'kept')
  const offered = [String.raw`printf 'projects\tours\n$(touch offered)\nre\140touch offered\140\n:4\n'`]
  await writeFile(at('assay'), ['#!/bin/sh', 'printf "%s\\n" "$@" >>called', ...offered, ''].join('\n'))
  await chmod(at('assay'), 0o755)
  const shell = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    cwd: folder.path,
    env: { PATH: `${folder.path}:${process.env['PATH']}`, TERM: 'dumb', SHELL: '/bin/bash' },
  })
  onTestFinished(() => void shell.kill())
  let seen = ''
  shell.stdout.on('data', (text: Buffer) => (seen += text.toString()))
  shell.stdin.write("source completion.sh; PS1='rea''dy '\n")
  await expect.poll(() => seen).toContain('ready')
  shell.stdin.write('assay status $(touch typed) `touch typed` > keep.txt pr\t')
  await expect.poll(() => seen).toMatch(/> keep\.txt projects/)
  shell.stdin.write('\u0015exit\n')
  await once(shell, 'close')
  expect((await readdir(folder.path)).toSorted()).toEqual(['assay', 'called', 'completion.sh', 'keep.txt'])
  expect(await readFile(at('keep.txt'), 'utf8')).toBe('kept')
})

test('no completion script evaluates the typed line', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const code = (await ended(spawnAssay(['completion', shell]))).stdout.replaceAll(/^\s*#.*$/gm, '')
    expect(code, shell).toContain('assay')
    expect(code, shell).not.toMatch(/\beval\b|compgen/)
  }
})

test('offers only ids and plain names', async () => {
  const project = (id: unknown, name: unknown) => ({ id, name, repository: 'a\nb' })
  const id = '01JD0000000000000000000000'
  const projects = [
    project(id, '$(touch x)'),
    project('$(touch x)', '`x`'),
    project('x;y', 'plain'),
    project(`${id}\nreboot`, 'a\nb'),
  ]
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ result: { data: projects } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const env = { SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SVC_API_TOKEN: 'svc_v1_x' }
  expect(await completionsOf(['projects', 'show', ''], env)).toEqual([id, ':4'])
})

test('does not wait for a server that does not answer', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const env = { SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SVC_API_TOKEN: 'svc_v1_x' }
  expect(await completionsOf(['projects', 'show', ''], env, 50)).toEqual([':4'])
})

test('the hidden command that the scripts call prints completions', async () => {
  const { exitCode, stdout, stderr } = await ended(spawnAssay(['complete', '--', 'sug']))
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^suggest\t.+\n:4\n$/)
})
