import { basename, dirname } from 'node:path/posix'

/**
 * Returns the folders where CI services check out a repository, to shorten absolute paths in reports.
 *
 * @param repository - the URL or path of the repository
 * @param root - the folder that the sender of the upload named
 */
export function checkoutFolders(repository: string, root: string | undefined): string[] {
  const path = repository
    .replace(/\.git\/*$/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replaceAll(':', '/')
  const name = basename(path)
  const owner = basename(dirname(path))
  return [
    ...(root === undefined ? [] : [root]),
    // GitHub Actions, on hosts and in containers
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
