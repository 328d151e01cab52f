import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFolder } from '../client/testing/repository.ts'
import { findFiles } from './upload-form.ts'

test('wildcards do not follow symbolic links out of the folder; a named file may be a link', async () => {
  await using folder = await createFolder()
  const [cwd, outside] = [join(folder.path, 'checkout'), join(folder.path, 'outside')]
  await Promise.all([mkdir(join(cwd, 'out'), { recursive: true }), mkdir(outside)])
  await Promise.all([writeFile(join(outside, 'secret.xml'), 'x'), writeFile(join(cwd, 'out/junit.xml'), 'x')])
  await symlink(outside, join(cwd, 'linked'))
  await symlink(join(outside, 'secret.xml'), join(cwd, 'out/link.xml'))
  await symlink('junit.xml', join(cwd, 'out/same.xml'))
  const names = async (...reports: string[]) => {
    const { files } = await findFiles({ reports, coverage: [], artifacts: [] }, cwd)
    return files.map(({ name }) => name)
  }
  expect(await names('out/*.xml', '**/*.xml')).toEqual(['out/junit.xml', 'out/same.xml'])
  await expect(names('linked/*.xml')).rejects.toThrow('Wildcards do not follow')
  expect(await names('out/link.xml')).toEqual(['out/link.xml'])
  expect(await names('../outside/*.xml')).toEqual(['secret.xml'])
})
