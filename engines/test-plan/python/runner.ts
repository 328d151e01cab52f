import { table } from '../../manifests/values.ts'
import type { Folder } from '../folder.ts'
import type { PythonProject } from './project.ts'

const testFile = /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/
const foreign = /(?:^|\/)(?:node_modules|\.[^/]+|venv|site-packages|vendor)\//
/** Enough files to see which library the tests are written with. */
const maxRead = 12

export function testFilesOf(folder: Folder): string[] {
  return folder.paths.filter((path) => testFile.test(path) && !foreign.test(path))
}

/** Whether the tests are pytest's. Those that only use unittest run without installing anything. */
export async function usesPytest(folder: Folder, project: PythonProject): Promise<boolean> {
  if ([...project.dependencies].some((name) => name === 'pytest' || name.startsWith('pytest-'))) return true
  if (['pytest.ini', '.pytest.ini', 'pytest.toml', 'conftest.py'].some((path) => folder.has(path))) return true
  if (folder.paths.some((path) => /^(?=(?:.*\/)?tests?\/).*\/conftest\.py$/.test(path) && !foreign.test(path)))
    return true
  if (Object.hasOwn(table(project.toml.tool), 'pytest')) return true
  const settings = [await folder.read('setup.cfg'), await folder.read('tox.ini')].join('\n')
  if (
    /^\[(?:tool:)?pytest\]/m.test(settings) ||
    /^[ \t]*(?:commands[ \t]*=[ \t]*)?(?:python -m )?pytest\b/m.test(settings)
  )
    return true
  const files = testFilesOf(folder)
  let classes = 0
  for (const path of files.slice(0, maxRead)) {
    const source = (await folder.read(path)) ?? ''
    if (/^[ \t]*(?:import pytest|from pytest\b)/m.test(source)) return true
    if (/\bunittest\b|\bTestCase\b/.test(source)) classes++
    else if (/^(?:async )?def test_/m.test(source)) return true
  }
  return classes === 0
}
