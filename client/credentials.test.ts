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

test('with nothing set, calls go to this machine as nobody', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  expect(await findCredentials(settings)).toEqual({ baseUrl: 'http://localhost:4000', token: undefined, source: null })
})

test('the token of local mode is found, and sent to this machine only', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await writeFile(join(settings.dataDir, 'token'), 'svc_v1_local\n')
  expect(await findCredentials(settings)).toMatchObject({ token: 'svc_v1_local', source: 'DATA_DIR/token' })
  for (const baseUrl of ['http://127.0.0.1:4001', 'http://[::1]:4000']) {
    expect(await findCredentials({ ...settings, baseUrl })).toMatchObject({ baseUrl, token: 'svc_v1_local' })
  }
  for (const baseUrl of ['https://assay.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example']) {
    expect(await findCredentials({ ...settings, baseUrl })).toEqual({ baseUrl, token: undefined, source: null })
  }
})

test('after a login its server is the one that is called, until another is named', async () => {
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

test('a token in the environment is never sent to the server of somebody’s earlier login', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path, { token: 'svc_v1_mine' })
  await saveLogin(settings, 'https://two.example', 'svc_v1_two')
  expect(await findCredentials(settings)).toEqual({
    baseUrl: 'http://localhost:4000',
    token: 'svc_v1_mine',
    source: 'SVC_API_TOKEN',
  })
})

test('a login is readable by its owner alone', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await saveLogin(settings, 'https://one.example', 'svc_v1_one')
  expect((await stat(settings.loginFile)).mode & 0o777).toBe(0o600)
  expect(await readFile(settings.loginFile, 'utf8')).toContain('svc_v1_one')
})

test('a pipe or anything else without an end in place of a login or token is refused at once', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await promisify(execFile)('mkfifo', [join(settings.dataDir, 'token')])
  await expect(findCredentials(settings)).rejects.toThrow('no regular file')
  await mkdir(join(folder.path, 'config'))
  await symlink('/dev/zero', settings.loginFile)
  await expect(findCredentials(settings)).rejects.toThrow('no regular file')
})

test('a file that is not a login is said to be none, without its text', async () => {
  await using folder = await createFolder()
  const settings = await settingsIn(folder.path)
  await saveLogin(settings, 'https://one.example', 'svc_v1_one')
  await writeFile(settings.loginFile, '{"token":"svc_v1_secret"')
  const failed = findCredentials(settings)
  await expect(failed).rejects.toThrow('is not what `assay login` writes')
  await expect(failed).rejects.not.toThrow('svc_v1_secret')
})
