import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findCredentials, forgetLogin, saveLogin } from './credentials.ts'
import type { ClientSettings } from './settings.ts'
import { createFolder } from './testing/repository.ts'

async function settingsIn(path: string, change: Partial<ClientSettings> = {}): Promise<ClientSettings> {
  const dataDir = join(path, 'data')
  await mkdir(dataDir, { recursive: true })
  return { baseUrl: undefined, token: undefined, dataDir, loginFile: join(path, 'config', 'login.json'), ...change }
}

test('uses this machine without a token by default', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  expect(await findCredentials(settings)).toEqual({ baseUrl: 'http://localhost:4000', token: undefined, source: null })
})

test('finds the token of local mode, and sends it to this machine only', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await writeFile(join(settings.dataDir, 'token'), 'svc_v1_local\n')
  expect(await findCredentials(settings)).toMatchObject({
    token: 'svc_v1_local',
    source: 'DATA_DIR/token',
    tokenFile: join(settings.dataDir, 'token'),
  })
  for (const baseUrl of ['http://127.0.0.1:4001', 'http://[::1]:4000']) {
    expect(await findCredentials({ ...settings, baseUrl })).toMatchObject({ baseUrl, token: 'svc_v1_local' })
  }
  for (const baseUrl of ['https://assay.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example']) {
    expect(await findCredentials({ ...settings, baseUrl })).toEqual({ baseUrl, token: undefined, source: null })
  }
})

test('uses the server of the last login unless another is named', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await writeFile(join(settings.dataDir, 'token'), 'svc_v1_local')
  await saveLogin(settings, 'https://one.example', 'svc_v1_one')
  await saveLogin(settings, 'https://two.example', 'svc_v1_two')
  expect(await findCredentials(settings)).toEqual({
    baseUrl: 'https://two.example',
    token: 'svc_v1_two',
    source: 'assay login',
  })
  expect(await findCredentials({ ...settings, baseUrl: 'https://one.example' })).toMatchObject({ token: 'svc_v1_one' })
  expect(await forgetLogin(settings, 'https://two.example')).toBe(true)
  expect(await forgetLogin(settings, 'https://two.example')).toBe(false)
  expect(await findCredentials(settings)).toMatchObject({ baseUrl: 'http://localhost:4000', token: 'svc_v1_local' })
})

test('never sends a token of the environment to the server of an earlier login', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path, { token: 'svc_v1_mine' })
  await saveLogin(settings, 'https://two.example', 'svc_v1_two')
  expect(await findCredentials(settings)).toEqual({
    baseUrl: 'http://localhost:4000',
    token: 'svc_v1_mine',
    source: 'SVC_API_TOKEN',
  })
})

test('saves a login that only its owner can read', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await saveLogin(settings, 'https://one.example', 'svc_v1_one')
  expect((await stat(settings.loginFile)).mode & 0o777).toBe(0o600)
  expect(await readFile(settings.loginFile, 'utf8')).toContain('svc_v1_one')
})

test('refuses a pipe or an endless file in place of a login or token', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await promisify(execFile)('mkfifo', [join(settings.dataDir, 'token')])
  await expect(findCredentials(settings)).rejects.toThrow('not a regular file')
  await mkdir(join(folder.path, 'config'))
  await symlink('/dev/zero', settings.loginFile)
  await expect(findCredentials(settings)).rejects.toThrow('not a regular file')
})

test('reports an invalid login file without printing its text', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await saveLogin(settings, 'https://one.example', 'svc_v1_one')
  await writeFile(settings.loginFile, '{"token":"svc_v1_secret"')
  const failed = findCredentials(settings)
  await expect(failed).rejects.toThrow('is not a valid login file')
  await expect(failed).rejects.not.toThrow('svc_v1_secret')
})
