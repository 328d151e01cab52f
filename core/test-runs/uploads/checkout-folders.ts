import { basename, dirname } from 'node:path/posix'

/**
 * Where CI services check a repository out, in case that its reports name files by absolute paths.
 *
 * @param repository - its address, or a path
 * @param root - where its sender says it was
 */
export function checkoutFolders(repository: string, root: string | undefined): string[] {
  const path = repository
    .replace(/\.git\/*$/, '')
    .replace(/\/+$/, '')
    .replaceAll(':', '/')
  const name = basename(path)
  const owner = basename(dirname(path))
  return [
    ...(root === undefined ? [] : [root]),
    // GitHub Actions, outside and inside containers.
    `/home/runner/work/${name}/${name}`,
    `/Users/runner/work/${name}/${name}`,
    `/__w/${name}/${name}`,
    `D:\\a\\${name}\\${name}`,
    `/github/workspace`,
    // GitLab CI
    `/builds/${owner}/${name}`,
    // CircleCI, Bitbucket
    '/home/circleci/project',
    '/root/project',
    '/opt/atlassian/pipelines/agent/build',
  ]
}
